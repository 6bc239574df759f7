import type { Json } from "../core/bytes/json.ts";
import type { ClientDialect } from "../core/request/dialect.ts";
import { isObject } from "../core/bytes/is-object.ts";
import type { ModelInput, ModelMedia } from "../core/request/model-input.ts";

type Found = {
  texts: string[];
  json: string[];
  jsonValues: number;
  predicted: string[];
  sealedCharacters: number;
  media: ModelMedia[];
  messages: number;
  tools: number;
  nativeTools: number;
};

/** The members that hold the conversation, per format. */
const CONVERSATION: Record<ClientDialect, readonly string[]> = {
  chat: ["messages"],
  responses: ["instructions", "input"],
  messages: ["system", "messages"],
};

/** The members that hold a schema of the answer, per format. */
const ANSWER_SCHEMA: Record<ClientDialect, readonly string[]> = {
  chat: ["response_format", "functions"],
  responses: ["text"],
  messages: ["output_config", "output_format"],
};

/** Members of messages and their parts that organise a conversation and are not shown to the model. */
const UNSEEN: ReadonlySet<string> = new Set([
  "type",
  "role",
  "id",
  "call_id",
  "tool_call_id",
  "tool_use_id",
  "status",
  "index",
  "signature",
  "cache_control",
  "annotations",
  "logprobs",
  "citations",
  "is_error",
]);

/** Members that providers write as JSON again, whatever they hold. */
const AS_JSON: ReadonlySet<string> = new Set(["arguments", "tools", "action", "operation"]);

/** Reasoning that its provider has encrypted. */
const SEALED: ReadonlySet<string> = new Set(["encrypted_content"]);

/** What a model reads of a request whose body is known to be a JSON object. */
export const readModelInput = ({ dialect, bytes }: { dialect: ClientDialect; bytes: Buffer }): ModelInput =>
  modelInputOf(dialect, JSON.parse(bytes.toString("utf8")) as Json);

/**
 * What a model reads of a request. Media count as such only where a format carries them, in a part of its own type: the same
 * letters in a prompt, in what a tool was called with or in a schema are text.
 */
export function modelInputOf(dialect: ClientDialect, body: Json): ModelInput {
  const found: Found = {
    texts: [],
    json: [],
    jsonValues: 0,
    predicted: [],
    sealedCharacters: 0,
    media: [],
    messages: 0,
    tools: 0,
    nativeTools: 0,
  };
  for (const member of CONVERSATION[dialect]) {
    const value = body[member];
    if (value === undefined || value === null) continue;
    found.messages += Array.isArray(value) ? value.length : 1;
    readPart(value, found);
  }
  for (const member of ANSWER_SCHEMA[dialect]) readJson(body[member], found);
  if (Array.isArray(body["tools"])) for (const tool of body["tools"]) readTool(tool, found);
  if (dialect === "chat" && isObject(body["prediction"])) collectTexts(body["prediction"]["content"], found.predicted);
  return found;
}

function readPart(value: unknown, found: Found): void {
  if (typeof value === "string") found.texts.push(value);
  else if (Array.isArray(value)) for (const item of value) readPart(item, found);
  else if (isObject(value) && !readMedia(value, found)) readMembers(value, found);
}

function readMembers(part: Json, found: Found): void {
  const called = typeof part["type"] === "string" && /(tool_use|_call)$/.test(part["type"]);
  for (const [name, inner] of Object.entries(part)) {
    if (UNSEEN.has(name)) continue;
    if (SEALED.has(name) || (name === "data" && part["type"] === "redacted_thinking")) {
      if (typeof inner === "string") found.sealedCharacters += inner.length;
    } else if (MEDIA_PARTS.has(name) && isShown(inner)) {
      // Some servers go by the members of a part and not by its type.
      found.media.push({ kind: MEDIA_PARTS.get(name) ?? "document", detail: "high", carriedCharacters: 0 });
    } else if (AS_JSON.has(name) || (called && isNested(inner))) readJson(inner, found);
    else readPart(inner, found);
  }
}

/** Whether the part is a picture or a document; then it has been counted as one. */
function readMedia(part: Json, found: Found): boolean {
  const { type, source } = part;
  if ((type === "image" || type === "document") && isObject(source)) {
    // Whatever else a source may be, it is shown as a picture or a document.
    if (source["type"] === "text" || source["type"] === "content") return false;
    found.media.push({ kind: type, detail: "high", carriedCharacters: lengthOf(source["data"]) });
    if (type === "document") collectTexts([part["title"], part["context"]], found.texts);
    return true;
  }
  const kind = typeof type === "string" ? MEDIA_PARTS.get(type) : undefined;
  if (kind === undefined) return false;
  const inner = typeof type === "string" ? part[type] : undefined;
  const holder = isObject(inner) ? inner : part;
  const detail = (holder["detail"] ?? part["detail"]) === "low" ? "low" : "high";
  found.media.push({ kind, detail, carriedCharacters: carriedBy(holder) });
  return true;
}

/** Parts of the two formats that carry media in members of their own. What moves or sounds has no bound but the window. */
const MEDIA_PARTS: ReadonlyMap<string, ModelMedia["kind"]> = new Map([
  ["image_url", "image"],
  ["input_image", "image"],
  ["computer_screenshot", "image"],
  ["file", "document"],
  ["input_file", "document"],
  ["document_url", "other"],
  ["input_audio", "other"],
  ["audio_url", "other"],
  ["video_url", "other"],
]);

function carriedBy(holder: Json): number {
  for (const name of ["url", "image_url", "file_url"]) {
    const address = holder[name];
    if (typeof address === "string") return address.startsWith("data:") ? address.length : 0;
  }
  return lengthOf(holder["file_data"]) + lengthOf(holder["data"]);
}

const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : 0);

function readTool(tool: unknown, found: Found): void {
  found.tools++;
  if (!isObject(tool)) return;
  const { type } = tool;
  if (type === "namespace" && Array.isArray(tool["tools"])) found.tools += tool["tools"].length;
  else if (type !== undefined && type !== "function" && type !== "custom") found.nativeTools++;
  const { function: described } = tool;
  readJson(isObject(described) ? described : { ...tool, type: undefined, cache_control: undefined }, found);
}

function readJson(value: unknown, found: Found): void {
  if (value === undefined || value === null) return;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  found.json.push(text);
  found.jsonValues += valuesIn(text);
}

const isShown = (value: unknown): boolean => isObject(value) || typeof value === "string";

const isNested = (value: unknown): boolean => typeof value === "object" && value !== null;

/** At least as many as there are, whether or not the text is JSON: what stands within a string may count too. */
function valuesIn(text: string): number {
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x2c || unit === 0x3a || unit === 0x5b || unit === 0x7b) values++;
  }
  return values;
}

function collectTexts(value: unknown, texts: string[]): void {
  if (typeof value === "string") texts.push(value);
  else if (Array.isArray(value)) for (const item of value) collectTexts(item, texts);
  else if (isObject(value)) collectTexts(value["text"], texts);
}
