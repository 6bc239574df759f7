import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { invalid } from "../ask/refusal.ts";
import { checkSignatures } from "./thought-signature.ts";

const KINDS = ["text", "inlineData", "functionCall", "functionResponse"];

export function contentsOf(body: JsonObject): readonly JsonObject[] {
  const { contents } = body;
  if (!Array.isArray(contents) || contents.length === 0)
    throw invalid("* GenerateContentRequest.contents: contents is not specified", "contents");
  return contents.filter((content) => isObject(content));
}

/** Refuses what Google refuses of a conversation: parts that say nothing or two things, and calls and responses that do not match. */
export function checkContents(contents: readonly JsonObject[]): void {
  for (const [index, content] of contents.entries()) {
    const { role } = content;
    if (role !== undefined && role !== "user" && role !== "model")
      throw invalid("Please use a valid role: user, model.", "contents");
    for (const [place, part] of partsOf(content, index).entries())
      checkPart(part, `contents[${index}].parts[${place}]`);
    const calls = membersOf(content, "functionCall");
    const responses = membersOf(content, "functionResponse");
    if (calls.length > 0) checkCalls(content, contents[index - 1]);
    if (calls.length > 0 || responses.length > 0)
      checkTurns(
        calls.length > 0 ? calls : membersOf(contents[index - 1], "functionCall"),
        calls.length > 0 ? membersOf(contents[index + 1], "functionResponse") : responses,
      );
  }
  checkSignatures(contents);
}

function partsOf({ parts }: JsonObject, index: number): JsonObject[] {
  if (!Array.isArray(parts) || parts.length === 0)
    throw invalid(`* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`, "contents");
  return parts.filter((part) => isObject(part));
}

function checkPart(part: JsonObject, at: string): void {
  const kinds = KINDS.filter((kind) => part[kind] !== undefined);
  if (kinds.length !== 1)
    throw invalid(
      `* GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field`,
      at,
    );
  const { text, inlineData: blob, functionCall: call, functionResponse: response } = part;
  if (text !== undefined && typeof text !== "string") throw invalid(`Invalid value at '${at}.text' (TYPE_STRING)`, at);
  if (isObject(blob) && !(typeof blob["mimeType"] === "string" && isBase64(blob["data"])))
    throw invalid(`Invalid value at '${at}.inline_data.data' (TYPE_BYTES), Base64 decoding failed`, at);
  if (isObject(call) && !isObject(call["args"] ?? {}))
    throw invalid(`Invalid value at '${at}.function_call.args' (type.googleapis.com/google.protobuf.Struct)`, at);
  if (isObject(response) && !isObject(response["response"]))
    throw invalid(
      `Invalid value at '${at}.function_response.response' (type.googleapis.com/google.protobuf.Struct)`,
      at,
    );
}

function checkCalls(content: JsonObject, before: JsonObject | undefined): void {
  if (content["role"] !== "model" || before === undefined || before["role"] === "model")
    throw invalid(
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      "contents",
    );
}

/** Each call is answered right behind it, under its name and, where it has one, its id. */
function checkTurns(calls: readonly JsonObject[], responses: readonly JsonObject[]): void {
  if (calls.length === 0)
    throw invalid(
      "Please ensure that function response turn comes immediately after a function call turn.",
      "contents",
    );
  if (calls.length !== responses.length)
    throw invalid(
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      "contents",
    );
  const named = (each: JsonObject) => JSON.stringify([each["name"], each["id"] ?? null]);
  const owed = calls.map(named);
  for (const response of responses) {
    const place = owed.indexOf(named(response));
    if (place < 0)
      throw invalid(
        `There is no function call for the function response ${named(response).slice(0, 200)}.`,
        "contents",
      );
    owed.splice(place, 1);
  }
}

function membersOf(content: JsonObject | undefined, name: string): JsonObject[] {
  const parts: unknown = content?.["parts"];
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown) => {
    const member = isObject(part) ? part[name] : undefined;
    return isObject(member) ? [member] : [];
  });
}

const isBase64 = (value: unknown): boolean => typeof value === "string" && /^[\w+/-]+={0,2}$/.test(value);
