import { invariant } from "../../core/invariant.ts";
import type { CountTokens } from "../../gateway/count-tokens.ts";
import { renderFormatB } from "../../wire/errors/format-b.ts";
import type { CountTokensRequest } from "../../wire/messages/count-request.ts";
import type { MediaUrls } from "../../wire/members/media-address.ts";
import { readBody } from "../body.ts";
import { type Door, NOTHING_GENERATED } from "../door.ts";
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
  limits: { bodyBytes: number; jsonDepth: number; mediaUrls: MediaUrls };
  betas: readonly string[];
};

/** POST /v1/messages/count_tokens. [spec 4.6] */
export function postCountTokens(router: Router, { door, countTokens, readCountRequest, limits, betas }: Parts): void {
  door.route(router, {
    method: "POST",
    path: "/v1/messages/count_tokens",
    name: "count_tokens",
    dialect: "messages",
    render: renderFormatB,
    credential: { scheme: "bearer_or_header", required: true },
    refusals: "full",
    work: async (call) => {
      const { visit, request, response } = call;
      const { caller, id, requestId } = visit;
      invariant(caller, "a count without a caller");
      const { tokens, by } = await countTokens({
        id,
        caller,
        read: async () =>
          readCountRequest({
            keyId: caller.key.id,
            bytes: await readBody(call, limits.bodyBytes),
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
