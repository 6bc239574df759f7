import type { ListModels } from "../../gateway/list-models.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import { type Door, NOTHING_GENERATED } from "../door.ts";
import type { Router } from "../router.ts";
import { sendJson } from "../send-json.ts";

/** GET /v1/models: public without a credential; a credential that is wrong never falls back to that. [spec 4.2] */
export function getModels(router: Router, { door, listModels }: { door: Door; listModels: ListModels }): void {
  door.route(router, {
    method: "GET",
    path: "/v1/models",
    name: "models",
    dialect: null,
    render: renderFormatA,
    credential: { scheme: "bearer_or_header", required: false },
    refusals: "unauthorised_only",
    work: async ({ visit, response }) => {
      const bytesOut = sendJson(response, visit.requestId, listModels(visit.key));
      return { ...NOTHING_GENERATED, status: 200, bytesOut };
    },
  });
}
