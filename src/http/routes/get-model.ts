import { KEY_MODES } from "../../core/people/key-mode.ts";
import type { ShowModel } from "../../gateway/list-models.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import { NOTHING_GENERATED, type PublicRoute } from "../public-route.ts";
import { sendJson } from "../write/send-json.ts";

/** GET /v1/models/{id}: one element of the list, to whoever may see it there. [interface decision 37] */
export const getModel = ({ showModel }: { showModel: ShowModel }): PublicRoute => ({
  method: "GET",
  path: "/v1/models/*",
  origins: KEY_MODES,
  name: "model",
  dialect: null,
  credential: { scheme: "bearer_or_header", required: false },
  rate: "counted_if_possible",
  maxBodyBytes: 0,
  work: async ({ context, response, below }) => {
    const { caller, requestId, log } = context;
    const id = decoded(below);
    log.modelAsked(id);
    const value = showModel(id, caller?.key ?? null);
    return { ...NOTHING_GENERATED, status: 200, bytesOut: sendJson(response, { requestId, value }) };
  },
  refusals: "unauthorised_only",
  render: renderFormatA,
});

/** Ids hold slashes, which some clients escape and others do not. What is not escaped well is taken as it is. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
