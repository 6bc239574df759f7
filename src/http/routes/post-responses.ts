import { KEY_MODES } from "../../core/people/key-mode.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import type { PublicRoute } from "../public-route.ts";
import type { ServeGeneration } from "../serve/serve-generation.ts";

type Parts = { serve: ServeGeneration; maxBodyBytes: number };

/** POST /v1/responses. [spec 4.4] */
export const postResponses = ({ serve, maxBodyBytes }: Parts): PublicRoute => ({
  method: "POST",
  path: "/v1/responses",
  origins: KEY_MODES,
  name: "responses",
  dialect: "responses",
  credential: { scheme: "bearer", required: true },
  rate: "counted_within",
  maxBodyBytes,
  work: serve,
  refusals: "full",
  render: renderFormatA,
});
