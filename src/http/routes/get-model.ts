import type { CountRequest } from "../../gateway/count-request.ts";
import type { ShowModel } from "../../gateway/list-models.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import { type Door, NOTHING_GENERATED } from "../serve-route.ts";
import type { Router } from "../router.ts";
import { sendJson } from "../send-json.ts";
import { unlessLedgerAway } from "./get-models.ts";

type Parts = { door: Door; countRequest: CountRequest; showModel: ShowModel };

/** GET /v1/models/{id}: one element of the list, to whoever may see it there. [interface decision 37] */
export function getModel(router: Router, { door, countRequest, showModel }: Parts): void {
  door.route(router, {
    method: "GET",
    path: "/v1/models/*",
    name: "model",
    dialect: null,
    render: renderFormatA,
    credential: { scheme: "bearer_or_header", required: false },
    refusals: "unauthorised_only",
    work: async ({ context, response, below }) => {
      const { caller, id, requestId } = context;
      if (caller !== null) await countRequest(caller, id).catch(unlessLedgerAway);
      const value = showModel(decoded(below), caller?.key ?? null);
      return { ...NOTHING_GENERATED, status: 200, bytesOut: sendJson(response, { requestId, value }) };
    },
  });
}

/** Ids hold slashes, which some clients escape and others do not. What is not escaped well is taken as it is. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
