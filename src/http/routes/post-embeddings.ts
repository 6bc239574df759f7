import { KEY_MODES } from "../../core/people/key-mode.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import type { PublicRoute } from "../public-route.ts";
import type { ServeEmbeddings } from "../serve/serve-embeddings.ts";

type Parts = { serve: ServeEmbeddings; maxBodyBytes: number };

/** POST /v1/embeddings. [interface decision 48] */
export const postEmbeddings = ({ serve, maxBodyBytes }: Parts): PublicRoute => ({
  method: "POST",
  path: "/v1/embeddings",
  origins: KEY_MODES,
  name: "embeddings",
  dialect: "embeddings",
  credential: { scheme: "bearer", required: true },
  rate: "counted_within",
  maxBodyBytes,
  work: serve,
  refusals: "full",
  render: renderFormatA,
});
