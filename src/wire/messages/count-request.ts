import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { editMembers, type MemberEdits } from "../json/edit-members.ts";
import type { Members } from "../json/members.ts";
import type { ParsedBody } from "../json/parse-body.ts";
import { refuseFields } from "../refused-fields.ts";
import { validate } from "../validate.ts";
import { inputFields } from "./input-schema.ts";
import { nativeHeaders } from "./native-headers.ts";

/** A request to count the tokens of an input. */
export type CountTokensRequest = {
  model: string;
  /** The key that asked. */
  owner: string;
  bytes: Buffer;
  members: Members;
  forwardedHeaders: Readonly<Record<string, string>>;
};

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

export function readCountRequest(
  { value, bytes, members }: ParsedBody,
  headers: IncomingHttpHeaders,
  operatorsBetas: readonly string[] = [],
): CountTokensRequest {
  const forwardedHeaders = nativeHeaders(headers, operatorsBetas);
  const { model } = validate(countRequestSchema, value);
  refuseFields("messages", value);
  return { model, owner: "", bytes, members, forwardedHeaders };
}

/** The bytes a provider is sent, under its own name of the model, with what else must differ. */
export function countBody(
  { bytes, members }: CountTokensRequest,
  upstreamModel: string,
  changes: Readonly<MemberEdits> = {},
): Buffer {
  const edits: MemberEdits = { ...changes };
  for (const { name } of members.list) if (!COUNTED.has(name)) edits[name] = null;
  return editMembers(bytes, members, { ...edits, model: JSON.stringify(upstreamModel) });
}
