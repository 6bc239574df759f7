import { Fault, type FaultCode } from "../../core/fault.ts";
import { invariant } from "../../core/invariant.ts";
import type { CountTokens } from "../../gateway/count-tokens.ts";
import { renderFormatB } from "../../wire/errors/format-b.ts";
import type { CountTokensRequest } from "../../wire/messages/count-request.ts";
import type { MediaUrls } from "../../wire/members/media-address.ts";
import type { ReadBody } from "../body.ts";
import { type Door, NOTHING_GENERATED } from "../serve-route.ts";
import type { Router } from "../router.ts";
import { sendJson } from "../send-json.ts";
import type { ReadRequest } from "../serve-generation.ts";

export type ReadCountRequest = (
  arrived: Omit<Parameters<ReadRequest>[0], "dialect" | "secret">,
) => CountTokensRequest | Promise<CountTokensRequest>;

type Parts = {
  door: Door;
  countTokens: CountTokens;
  readCountRequest: ReadCountRequest;
  readBody: ReadBody;
  limits: { jsonDepth: number; mediaUrls: MediaUrls };
  betas: readonly string[];
};

const WANT: ReadonlySet<FaultCode> = new Set(["insufficient_credit", "limit_reached"]);

/** POST /v1/messages/count_tokens. [spec 4.6] */
export function postCountTokens(router: Router, parts: Parts): void {
  const { door, countTokens, readCountRequest, readBody, limits, betas } = parts;
  /** Counting is free, and has no status for want of money. [interface decision 45] */
  const readUnpaid: ReadBody = (call) =>
    readBody(call).catch((error: unknown) => {
      throw error instanceof Fault && WANT.has(error.code) ? new Fault("invalid_request", error.message) : error;
    });
  door.route(router, {
    method: "POST",
    path: "/v1/messages/count_tokens",
    name: "count_tokens",
    dialect: "messages",
    render: renderFormatB,
    credential: { scheme: "bearer_or_header", required: true },
    refusals: "full",
    work: async (call) => {
      const { context, request, response } = call;
      const { caller, id, requestId } = context;
      invariant(caller, "a count without a caller");
      const { tokens, by } = await countTokens({
        id,
        caller,
        read: async () =>
          readCountRequest({
            keyId: caller.key.id,
            bytes: await readUnpaid(call),
            headers: request.headers,
            betas,
            mediaUrls: limits.mediaUrls,
            maxDepth: limits.jsonDepth,
          }),
      });
      const answer = { requestId, value: { input_tokens: tokens }, headers: { "x-tollgate-counted-by": by } };
      return { ...NOTHING_GENERATED, status: 200, bytesOut: sendJson(response, answer) };
    },
  });
}
