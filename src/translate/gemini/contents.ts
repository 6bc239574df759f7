import { plainText, sentSource } from "../form/build-form.ts";
import { type CallIdRules, withCallIds } from "../form/tools/call-ids.ts";
import { argumentsIn } from "../form/parse-exactly.ts";
import type { Json } from "../../core/bytes/json.ts";
import { said } from "../form/read-json.ts";
import type { Block, Source, Turn } from "../form/request-form.ts";
import { wantsSignatures } from "./thinking.ts";
import { thoughtSealOf } from "./thought-seal.ts";

const CALL_IDS: CallIdRules = { refused: /[^\w-]/g };

/** What Google takes in the place of a signature with calls that it did not make, or whose caller has not kept it. */
const UNSIGNED_CALL = "skip_thought_signature_validator";

type ToolResult = Extract<Block, { kind: "tool_result" }>;

/** A conversation as a list of contents, in which results stand right behind their calls and by themselves. */
export function contentsOf(turns: readonly Turn[], model: string): Json[] {
  const names = new Map<string, string>();
  return withCallIds(turns, CALL_IDS).flatMap(({ role, blocks }) => {
    if (role === "assistant") {
      for (const block of blocks) if (block.kind === "tool_call") names.set(block.id, block.name);
      return contentOf("model", modelParts(blocks, model));
    }
    const results = blocks.filter((block) => block.kind === "tool_result");
    // A result is an object here, so that a picture in it follows as if the user had shown it.
    const pictures = results.flatMap((result) => result.blocks.filter(({ kind }) => kind !== "text"));
    const rest = [...pictures, ...blocks.filter(({ kind }) => kind !== "tool_result")];
    return [
      ...contentOf(
        "user",
        results.map((result) => resultPart(result, names)),
      ),
      ...contentOf(
        "user",
        rest.flatMap((block) => userPart(block)),
      ),
    ];
  });
}

const contentOf = (role: "user" | "model", parts: readonly Json[]): Json[] =>
  parts.length === 0 ? [] : [{ role, parts }];

function resultPart({ callId, blocks, failed }: ToolResult, names: ReadonlyMap<string, string>): Json {
  const text = plainText(blocks, "\n");
  const name = names.get(callId) ?? "unknown";
  return { functionResponse: { id: callId, name, response: failed ? { error: text } : { output: text } } };
}

function userPart(block: Block): Json[] {
  switch (block.kind) {
    case "text":
    case "refusal":
      return block.text === "" ? [] : [{ text: block.text }];
    case "image":
      return inlinePart(sentSource(block));
    case "document":
      return [...(block.name ? [{ text: block.name }] : []), ...inlinePart(sentSource(block))];
    case "thinking":
    case "tool_call":
    case "tool_result":
      return [];
    default:
      return block satisfies never;
  }
}

/** What is at an address has been refused by then. */
function inlinePart(source: Source): Json[] {
  if (source.kind === "url") return [];
  // Not a registered name, and understood by the others all the same.
  const mimeType = source.mediaType === "image/jpg" ? "image/jpeg" : source.mediaType;
  return [{ inlineData: { mimeType, data: source.data } }];
}

/** A signature goes back with the part that it came with, which is the next of its kind. */
function modelParts(blocks: readonly Block[], model: string): Json[] {
  const parts: Json[] = [];
  let ofCall: string | null = wantsSignatures(model) ? UNSIGNED_CALL : null;
  let ofText: string | null = null;
  for (const block of blocks) {
    if (block.kind === "thinking") {
      const { part, signature } = thoughtSealOf(block) ?? {};
      if (part !== undefined && block.text !== "") parts.push({ text: block.text, thought: true });
      if (signature === undefined) continue;
      if (part === "call") ofCall = signature;
      else if (part === "text") ofText = signature;
    } else if (block.kind === "tool_call") {
      const { id, name, input } = block;
      parts.push(said({ functionCall: { id, name, args: argumentsIn(input) }, thoughtSignature: ofCall }));
      ofCall = null;
    } else {
      for (const part of userPart(block)) {
        parts.push(said({ ...part, thoughtSignature: ofText }));
        ofText = null;
      }
    }
  }
  return parts;
}
