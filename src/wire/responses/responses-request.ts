import { NO_PAYER } from "../../core/money/payer.ts";
import { PLAIN_TIER } from "../../core/money/rate-rows.ts";
import { z } from "zod";
import type { GenerationRequest } from "../generation-request.ts";
import type { MemberEdits } from "../json/edit-members.ts";
import type { ParsedBody } from "../json/parse-body.ts";
import type { MediaUrls } from "../members/media-address.ts";
import { askedByResponses } from "../members/provider-tools.ts";
import { readMembers } from "../members/read-members.ts";
import { requireToolCalls } from "../tool-calls.ts";
import { tierAsked } from "../usage/said-served.ts";
import { validate } from "../validate.ts";
import { withoutBareThoughts } from "./bare-thoughts.ts";

const NO_HEADERS = Object.freeze({});

/** Fields we carry but do not read are objects of any shape. */
const carried = z.looseObject({});

/** The responses request as promised. [spec 2.6] */
export const responsesRequestSchema = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(carried)]),
  instructions: z.string().optional(),
  stream: z.boolean().optional(),
  max_output_tokens: z.int().min(1).optional(),
  tools: z.array(carried).optional(),
  tool_choice: z.union([z.string(), carried]).optional(),
});

export function readResponsesRequest(parsed: ParsedBody, mediaUrls: MediaUrls = "https"): GenerationRequest {
  const { body: read, leftOut } = withoutBareThoughts(readMembers("responses", parsed, mediaUrls));
  const { value, bytes, members, unknown, cacheMarks } = read;
  const body = validate(responsesRequestSchema, value);
  requireToolCalls("responses", body);
  return {
    dialect: "responses",
    payer: NO_PAYER,
    model: body.model,
    stream: body.stream === true,
    maxOutputTokens: body.max_output_tokens ?? null,
    maxOutputTokensField: "max_output_tokens",
    choices: 1,
    tier: tierAsked(value["service_tier"]),
    tierField: "service_tier",
    providerTools: askedByResponses(value),
    forwardedHeaders: NO_HEADERS,
    wantsUsageEvent: false,
    bytes,
    members,
    unknown,
    cacheMarks,
    leftOut: [...read.leftOut, ...leftOut],
    edits: editsOf(value),
  };
}

/** Providers keep what they are not told to forget, and the account they keep it in is shared by strangers. [interface decision 13] */
function editsOf(value: Record<string, unknown>): MemberEdits {
  const edits: MemberEdits = { store: "false" };
  const tier = value["service_tier"];
  if (tier !== undefined && tierAsked(tier) === PLAIN_TIER) edits["service_tier"] = null;
  return edits;
}
