import { NO_PAYER, type Payer } from "../../core/money/payer.ts";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { editMembers, type MemberEdits } from "../json/edit-members.ts";
import type { Members } from "../json/members.ts";
import type { ParsedBody } from "../json/parse-body.ts";
import { readCountedMembers } from "../members/read-members.ts";
import type { UnknownMembers } from "../members/unknown-members.ts";
import { requireToolCalls } from "../tool-calls.ts";
import { validate } from "../validate.ts";
import { inputFields } from "./input-schema.ts";
import type { MemberPolicy } from "../../core/request/member-policy.ts";
import type { MessagesCloud } from "./messages-quirks.ts";
import type { MessagesTerms } from "./messages-request.ts";
import { nativeHeaders } from "./native-headers.ts";

/** A request to count the tokens of an input. */
export type CountTokensRequest = {
  dialect: "messages";
  model: string;
  /** Who answers for it. */
  payer: Payer;
  /** Without what no provider is sent, which a count can do without. */
  bytes: Buffer;
  members: Members;
  unknown: UnknownMembers;
  forwardedHeaders: Readonly<Record<string, string>>;
};

/** What the provider that counts is told in place of the caller's own words. `cloud`: whose it is, if its bodies differ. */
export type CountTold = { upstreamModel: string; members: MemberPolicy; cloud: MessagesCloud | null };

/** The token count request as promised. [spec 2.11] */
export const countRequestSchema = z.looseObject(inputFields);

/** What has a part in the count. Callers may send a whole message request; providers refuse to count one. */
const COUNTED: ReadonlySet<string> = new Set([
  "messages",
  "system",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "output_format",
  "context_management",
  "cache_control",
]);

/** Nothing is generated, so that what is refused elsewhere does no harm here: it is accepted, and goes no further. */
export function readCountRequest(
  parsed: ParsedBody,
  headers: IncomingHttpHeaders,
  { betas = [], mediaUrls = "https" }: MessagesTerms = {},
): CountTokensRequest {
  const forwardedHeaders = nativeHeaders(headers, betas);
  const { value, bytes, members, unknown } = readCountedMembers("messages", parsed, mediaUrls);
  const body = validate(countRequestSchema, value);
  requireToolCalls("messages", body);
  return { dialect: "messages", model: body.model, payer: NO_PAYER, bytes, members, unknown, forwardedHeaders };
}

/** The bytes a provider is sent, under its own name of the model, with what else must differ. */
export function countBody(
  { bytes, members }: Pick<CountTokensRequest, "bytes" | "members">,
  upstreamModel: string,
  changes: Readonly<MemberEdits> = {},
): Buffer {
  const edits: MemberEdits = { ...changes };
  for (const { name } of members.list) if (!COUNTED.has(name)) edits[name] = null;
  return editMembers(bytes, members, { ...edits, model: JSON.stringify(upstreamModel) });
}
