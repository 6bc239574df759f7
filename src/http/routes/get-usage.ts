import { invariant } from "../../core/invariant.ts";
import type { CountRequest } from "../../gateway/count-request.ts";
import type { ShowUsage } from "../../gateway/show-usage.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import { type Door, NOTHING_GENERATED } from "../serve-route.ts";
import type { Router } from "../router.ts";
import { sendJson } from "../send-json.ts";

type Parts = { door: Door; countRequest: CountRequest; showUsage: ShowUsage };

/** GET /v1/usage. [spec 4.7] */
export function getUsage(router: Router, { door, countRequest, showUsage }: Parts): void {
  door.route(router, {
    method: "GET",
    path: "/v1/usage",
    name: "usage",
    dialect: null,
    render: renderFormatA,
    credential: { scheme: "bearer", required: true },
    refusals: "unauthorised_only",
    work: async ({ context, response }) => {
      const { caller, id, requestId } = context;
      invariant(caller, "usage without a caller");
      await countRequest(caller, id);
      const { body, headers } = await showUsage(caller.key);
      return { ...NOTHING_GENERATED, status: 200, bytesOut: sendJson(response, { requestId, value: body, headers }) };
    },
  });
}
