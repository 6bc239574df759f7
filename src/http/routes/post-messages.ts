import { KEY_MODES } from "../../core/people/key-mode.ts";
import { renderFormatB } from "../../wire/errors/format-b.ts";
import type { PublicRoute } from "../public-route.ts";
import type { ServeGeneration } from "../serve/serve-generation.ts";

type Parts = { serve: ServeGeneration; maxBodyBytes: number };

/** POST /v1/messages. [spec 4.5] */
export const postMessages = ({ serve, maxBodyBytes }: Parts): PublicRoute => ({
  method: "POST",
  path: "/v1/messages",
  origins: KEY_MODES,
  name: "messages",
  dialect: "messages",
  credential: { scheme: "bearer_or_header", required: true },
  rate: "counted_within",
  maxBodyBytes,
  work: serve,
  refusals: "full",
  render: renderFormatB,
});
