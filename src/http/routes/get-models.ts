import { Fault } from "../../core/fault.ts";
import type { CountRequest } from "../../gateway/count-request.ts";
import type { ListModels } from "../../gateway/list-models.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import { type Door, NOTHING_GENERATED } from "../serve-route.ts";
import type { Router } from "../router.ts";
import { sendJson } from "../send-json.ts";

type Parts = { door: Door; countRequest: CountRequest; listModels: ListModels };

/** GET /v1/models: public without a credential; a credential that is wrong never falls back to that. [spec 4.2] */
export function getModels(router: Router, { door, countRequest, listModels }: Parts): void {
  door.route(router, {
    method: "GET",
    path: "/v1/models",
    name: "models",
    dialect: null,
    render: renderFormatA,
    credential: { scheme: "bearer_or_header", required: false },
    refusals: "unauthorised_only",
    work: async ({ context, response }) => {
      const { caller, id, requestId } = context;
      if (caller !== null) await countRequest(caller, id).catch(unlessLedgerAway);
      const value = listModels(caller?.key ?? null);
      return { ...NOTHING_GENERATED, status: 200, bytesOut: sendJson(response, { requestId, value }) };
    },
  });
}

/** The list is in memory and costs nothing, so it is there even when nothing can be charged. */
export function unlessLedgerAway(error: unknown): void {
  if (!(error instanceof Fault) || error.code !== "service_unavailable") throw error;
}
