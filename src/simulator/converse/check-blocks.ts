import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { invalid } from "../ask/refusal.ts";
import { sign, unseal } from "../plan/proof.ts";

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const DOCUMENT_NAME = /^[a-zA-Z0-9()[\]-]+(?: [a-zA-Z0-9()[\]-]+)*$/;
const IMAGES = ["png", "jpeg", "gif", "webp"];
const DOCUMENTS = ["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"];

const KINDS = ["text", "image", "document", "toolUse", "toolResult", "reasoningContent", "cachePoint"];

/** The one thing that a block is. */
export function kindOf(block: unknown, at: string, kinds: readonly string[] = KINDS): string {
  const [kind = "", ...more] = isObject(block) ? Object.keys(block) : [];
  if (!kinds.includes(kind) || more.length > 0)
    throw invalid(
      `The value at ${at} must be one of ${kinds.join(", ")}, and is ${[kind, ...more].join(" and ")}.`,
      at,
    );
  return kind;
}

/** Refuses what Amazon refuses of a block by itself. */
export function checkBlock(block: JsonObject, at: string): void {
  const kind = kindOf(block, at);
  const value = block[kind];
  if (kind === "text") return checkText(value, at);
  if (!isObject(value)) throw invalid(`Expected an object at ${at}.${kind}.`, at);
  switch (kind) {
    case "image":
      return checkMedia(value, at, IMAGES);
    case "document":
      if (typeof value["name"] !== "string" || !DOCUMENT_NAME.test(value["name"]))
        throw invalid(
          `The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. (${at})`,
          at,
        );
      return checkMedia(value, at, DOCUMENTS);
    case "toolUse":
      checkName(value["toolUseId"], `${at}.toolUse.toolUseId`);
      checkName(value["name"], `${at}.toolUse.name`);
      if (!isObject(value["input"]))
        throw invalid(
          `The format of the value at ${at}.toolUse.input is invalid. Provide a json object for the field and try again.`,
          at,
        );
      return;
    case "toolResult":
      return checkResult(value, at);
    case "reasoningContent":
      return checkThought(value, at);
    default:
      if (value["type"] !== "default") throw invalid(`Unknown type of cache point at ${at}.`, at);
  }
}

export function checkName(name: unknown, at: string): void {
  if (typeof name !== "string" || !NAME.test(name))
    throw invalid(
      `Value at '${at}' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+ and have length less than or equal to 64`,
      at,
    );
}

export function checkText(text: unknown, at: string): void {
  if (typeof text !== "string" || !/\S/.test(text))
    throw invalid(
      `The text field in the ContentBlock object at ${at} is blank. Add text to the text field, and try again.`,
      at,
    );
}

function checkMedia({ format, source }: JsonObject, at: string, formats: readonly string[]): void {
  if (!formats.includes(String(format))) throw invalid(`Unknown format ${String(format)} at ${at}.`, at);
  const bytes = isObject(source) ? source["bytes"] : undefined;
  if (typeof bytes !== "string" || !/^[\w+/-]+={0,2}$/.test(bytes))
    throw invalid(`The bytes at ${at} are not base64.`, at);
}

function checkResult({ toolUseId, content, status }: JsonObject, at: string): void {
  checkName(toolUseId, `${at}.toolResult.toolUseId`);
  if (!Array.isArray(content) || content.length === 0) throw invalid(`No content at ${at}.toolResult.`, at);
  if (status !== undefined && status !== "success" && status !== "error")
    throw invalid(`Unknown status at ${at}.toolResult.`, at);
  for (const [place, inner] of content.entries()) {
    const within = `${at}.toolResult.content.${place}`;
    const kind = kindOf(inner, within, ["text", "json", "image", "document"]);
    if (kind !== "json") checkBlock(inner as JsonObject, within);
  }
}

/** Thoughts are taken back as they were given, or not at all. */
function checkThought({ reasoningText: text, redactedContent: redacted }: JsonObject, at: string): void {
  if (redacted !== undefined) {
    const bytes = Buffer.from(typeof redacted === "string" ? redacted : "", "base64");
    if (unseal("redacted", bytes.toString("utf8")) === null)
      throw invalid(`${at}: Invalid \`data\` in \`redacted_thinking\` block`, at);
    return;
  }
  const { text: said, signature } = isObject(text) ? text : {};
  if (typeof said !== "string")
    throw invalid(
      `Value at '${at}.reasoningContent.reasoningText.text' failed to satisfy constraint: Member must not be null`,
      at,
    );
  if (sign("signature", said) !== signature) throw invalid(`${at}: Invalid \`signature\` in \`thinking\` block`, at);
}
