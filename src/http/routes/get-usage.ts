import { invariant } from "../../core/invariant.ts";
import { KEY_MODES } from "../../core/people/key-mode.ts";
import type { ShowUsage } from "../../gateway/show-usage.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import { NOTHING_GENERATED, type PublicRoute } from "../public-route.ts";
import { sendJson } from "../write/send-json.ts";

/** GET /v1/usage. [spec 4.7] */
export const getUsage = ({ showUsage }: { showUsage: ShowUsage }): PublicRoute => ({
  method: "GET",
  path: "/v1/usage",
  origins: KEY_MODES,
  name: "usage",
  dialect: null,
  credential: { scheme: "bearer", required: true },
  rate: "counted_first",
  maxBodyBytes: 0,
  work: async ({ context, response }) => {
    const { caller, requestId } = context;
    invariant(caller, "usage without a caller");
    const { body, headers } = await showUsage(caller.key);
    return { ...NOTHING_GENERATED, status: 200, bytesOut: sendJson(response, { requestId, value: body, headers }) };
  },
  refusals: "unauthorised_only",
  render: renderFormatA,
});
