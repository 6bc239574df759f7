import { KEY_MODES } from "../../core/people/key-mode.ts";
import type { ListModels } from "../../gateway/list-models.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import { NOTHING_GENERATED, type PublicRoute } from "../public-route.ts";
import { sendJson } from "../write/send-json.ts";

/** GET /v1/models: public without a credential; a credential that is wrong never falls back to that. [spec 4.2] */
export const getModels = ({ listModels }: { listModels: ListModels }): PublicRoute => ({
  method: "GET",
  path: "/v1/models",
  origins: KEY_MODES,
  name: "models",
  dialect: null,
  credential: { scheme: "bearer_or_header", required: false },
  // The list is in memory and costs nothing, so it is there even when nothing can be charged.
  rate: "counted_if_possible",
  maxBodyBytes: 0,
  work: async ({ context, response }) => {
    const { caller, requestId } = context;
    const value = listModels(caller?.key ?? null);
    return { ...NOTHING_GENERATED, status: 200, bytesOut: sendJson(response, { requestId, value }) };
  },
  refusals: "unauthorised_only",
  render: renderFormatA,
});
