import { Fault, type FaultCode } from "../../core/fault.ts";
import { invariant } from "../../core/invariant.ts";
import { KEY_MODES } from "../../core/people/key-mode.ts";
import type { CountTokens } from "../../gateway/count-tokens.ts";
import { renderFormatB } from "../../wire/errors/format-b.ts";
import type { CountTokensRequest } from "../../wire/messages/count-request.ts";
import type { MediaUrls } from "../../wire/members/media-address.ts";
import type { ReadBody } from "../read/body.ts";
import { NOTHING_GENERATED, type PublicRoute } from "../public-route.ts";
import { sendJson } from "../write/send-json.ts";
import type { ReadRequest } from "../serve/serve-generation.ts";

export type ReadCountRequest = (
  arrived: Omit<Parameters<ReadRequest>[0], "dialect" | "secret">,
) => CountTokensRequest | Promise<CountTokensRequest>;

type Parts = {
  countTokens: CountTokens;
  readCountRequest: ReadCountRequest;
  readBody: ReadBody;
  limits: { bodyBytes: number; jsonDepth: number; mediaUrls: MediaUrls };
  betas: readonly string[];
};

const WANT: ReadonlySet<FaultCode> = new Set(["insufficient_credit", "limit_reached"]);

/** POST /v1/messages/count_tokens. [spec 4.6] */
export function postCountTokens(parts: Parts): PublicRoute {
  const { countTokens, readCountRequest, readBody, limits, betas } = parts;
  /** Counting is free, and has no status for want of money. [interface decision 45] */
  const readUnpaid: ReadBody = async (exchange) => {
    try {
      return await readBody(exchange);
    } catch (error) {
      throw error instanceof Fault && WANT.has(error.code) ? new Fault("invalid_request", error.message) : error;
    }
  };
  return {
    method: "POST",
    path: "/v1/messages/count_tokens",
    origins: KEY_MODES,
    name: "count_tokens",
    dialect: "messages",
    credential: { scheme: "bearer_or_header", required: true },
    rate: "counted_within",
    maxBodyBytes: limits.bodyBytes,
    work: async (exchange) => {
      const { context, request, response } = exchange;
      const { caller, id, requestId, log } = context;
      invariant(caller, "a count without a caller");
      const { tokens, by } = await countTokens({
        id,
        caller,
        read: async () => {
          const asked = await readCountRequest({
            keyId: caller.key.id,
            payer: caller.key.payer,
            bytes: await readUnpaid(exchange),
            headers: request.headers,
            betas,
            mediaUrls: limits.mediaUrls,
            maxDepth: limits.jsonDepth,
          });
          log.modelAsked(asked.model);
          return asked;
        },
      });
      const answer = { requestId, value: { input_tokens: tokens }, headers: { "x-tollgate-counted-by": by } };
      return { ...NOTHING_GENERATED, status: 200, bytesOut: sendJson(response, answer) };
    },
    refusals: "full",
    render: renderFormatB,
  };
}
