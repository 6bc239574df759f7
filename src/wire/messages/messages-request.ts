import { NO_PAYER } from "../../core/money/payer.ts";
import { PLAIN_TIER } from "../../core/money/rate-rows.ts";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { GenerationRequest } from "../generation-request.ts";
import type { MemberEdits } from "../json/edit-members.ts";
import type { ParsedBody } from "../json/parse-body.ts";
import type { MediaUrls } from "../members/media-address.ts";
import { askedByMessages } from "../members/provider-tools.ts";
import { readMembers } from "../members/read-members.ts";
import { requireToolCalls } from "../tool-calls.ts";
import { speedSaid } from "../usage/said-served.ts";
import { validate } from "../validate.ts";
import { carried, inputFields } from "./input-schema.ts";
import { nativeHeaders } from "./native-headers.ts";

/** What an answer may come to when the caller does not say. [spec 2.9] */
export const DEFAULT_MAX_TOKENS = 1024;

/** Also one that no double holds to the digit: a limit is capped, however large. */
const anyWholeNumber = z
  .number()
  .refine((value) => Number.isInteger(value), "Input should be an integer")
  .min(1)
  .meta({ type: "integer" });

/** The message request as promised. [spec 2.9] */
export const messagesRequestSchema = z.looseObject({
  ...inputFields,
  max_tokens: anyWholeNumber.optional(),
  stream: z.boolean().optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  top_k: z.int().optional(),
  stop_sequences: z.array(z.string()).optional(),
  metadata: carried.optional(),
});

/** What of a request is the operator's to decide. */
export type MessagesTerms = { betas?: readonly string[]; mediaUrls?: MediaUrls };

export function readMessagesRequest(
  parsed: ParsedBody,
  headers: IncomingHttpHeaders,
  { betas = [], mediaUrls = "https" }: MessagesTerms = {},
): GenerationRequest {
  const forwardedHeaders = nativeHeaders(headers, betas);
  const { value, bytes, members, unknown, cacheMarks, leftOut } = readMembers("messages", parsed, mediaUrls);
  const body = validate(messagesRequestSchema, value);
  requireToolCalls("messages", body);
  return {
    dialect: "messages",
    payer: NO_PAYER,
    model: body.model,
    stream: body.stream === true,
    maxOutputTokens: Math.min(body.max_tokens ?? DEFAULT_MAX_TOKENS, Number.MAX_SAFE_INTEGER),
    maxOutputTokensField: "max_tokens",
    choices: 1,
    tier: speedSaid(value["speed"]) ?? PLAIN_TIER,
    tierField: "speed",
    providerTools: askedByMessages(value),
    forwardedHeaders,
    wantsUsageEvent: false,
    bytes,
    members,
    unknown,
    cacheMarks,
    leftOut,
    edits: editsOf(value),
  };
}

/** Providers of this format have no default limit of their own; their default tier is had by naming none. */
function editsOf(value: Record<string, unknown>): MemberEdits {
  const edits: MemberEdits = {};
  if (value["max_tokens"] === undefined) edits["max_tokens"] = String(DEFAULT_MAX_TOKENS);
  if (value["service_tier"] !== undefined) edits["service_tier"] = null;
  return edits;
}
