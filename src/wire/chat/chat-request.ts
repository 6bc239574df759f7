import { NO_PAYER } from "../../core/money/payer.ts";
import { PLAIN_TIER } from "../../core/money/rate-rows.ts";
import { z } from "zod";
import { fieldFault } from "../../core/fault.ts";
import type { GenerationRequest } from "../generation-request.ts";
import type { MemberEdits } from "../json/edit-members.ts";
import type { ParsedBody } from "../json/parse-body.ts";
import type { MediaUrls } from "../members/media-address.ts";
import { askedByChat } from "../members/provider-tools.ts";
import { readMembers } from "../members/read-members.ts";
import { requireToolCalls } from "../tool-calls.ts";
import { tierAsked } from "../usage/said-served.ts";
import { validate } from "../validate.ts";

const MOST_CHOICES = 128;
const NO_HEADERS = Object.freeze({});

/** Fields we carry but do not read are objects of any shape. */
const carried = z.looseObject({});

const chatMessage = z.looseObject({
  role: z.enum(["developer", "system", "user", "assistant", "tool"]),
  content: z.union([z.string(), z.array(carried), z.null()]).optional(),
  name: z.string().optional(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(carried).optional(),
});

/** The chat completion request as promised. [spec 2.4] */
export const chatRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(chatMessage).min(1),
  stream: z.boolean().optional(),
  max_tokens: z.int().min(1).optional(),
  max_completion_tokens: z.int().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  n: z.int().min(1).max(MOST_CHOICES).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).optional(),
  tools: z.array(carried).optional(),
  tool_choice: z.union([z.string(), carried]).optional(),
  user: z.string().optional(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
});

export function readChatRequest(parsed: ParsedBody, mediaUrls: MediaUrls = "https"): GenerationRequest {
  const { value, bytes, members, unknown, cacheMarks, leftOut } = readMembers("chat", parsed, mediaUrls);
  const body = validate(chatRequestSchema, value);
  requireToolCalls("chat", body);
  const { max_tokens: maxTokens, max_completion_tokens: maxCompletionTokens } = body;
  if (maxTokens !== undefined && maxCompletionTokens !== undefined && maxTokens !== maxCompletionTokens) {
    const [one, other] = [maxTokens, maxCompletionTokens].map((tokens) => tokens.toLocaleString("en-US"));
    throw fieldFault(
      "max_tokens",
      `This is ${one}, but max_completion_tokens is ${other}. Both set the same limit; send one of them.`,
    );
  }
  return {
    dialect: "chat",
    payer: NO_PAYER,
    model: body.model,
    stream: body.stream === true,
    maxOutputTokens: maxTokens ?? maxCompletionTokens ?? null,
    maxOutputTokensField:
      maxTokens === undefined && maxCompletionTokens !== undefined ? "max_completion_tokens" : "max_tokens",
    choices: body.n ?? 1,
    tier: tierAsked(value["service_tier"]),
    tierField: "service_tier",
    providerTools: askedByChat(value, body.n ?? 1),
    forwardedHeaders: NO_HEADERS,
    wantsUsageEvent: body.stream_options?.include_usage === true,
    bytes,
    members,
    unknown,
    cacheMarks,
    leftOut,
    edits: editsOf(value),
  };
}

/** Nothing is kept on the provider's side, and its default tier is had by naming none. [interface decision 13] */
function editsOf(value: Record<string, unknown>): MemberEdits {
  const edits: MemberEdits = {};
  if (value["store"] !== undefined) edits["store"] = "false";
  const tier = value["service_tier"];
  if (tier !== undefined && tierAsked(tier) === PLAIN_TIER) edits["service_tier"] = null;
  return edits;
}
