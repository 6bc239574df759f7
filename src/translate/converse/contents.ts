import type { Json } from "../../core/bytes/json.ts";
import { hasWords } from "../form/build-form.ts";
import { argumentsIn } from "../form/parse-exactly.ts";
import { objectOf } from "../form/read-json.ts";
import type { Block, Turn } from "../form/request-form.ts";
import { type CallIdRules, NINE_CHARACTERS, withCallIds } from "../form/tools/call-ids.ts";
import { cachePointOf } from "./cache-points.ts";
import { createDocumentNames, mediaPart, type NameDocument } from "./media.ts";
import { cachesTurns, hasShortCallIds, takesFailures } from "./models.ts";
import { thoughtPart } from "./thought-part.ts";

type ToolResult = Extract<Block, { kind: "tool_result" }>;

/** A part of a message, with the cache point behind it, and the id of the call that it makes or answers. */
type Piece = { kind: Block["kind"]; callId: string | null; parts: Json[] };
type Message = { role: "user" | "assistant"; pieces: Piece[] };

const CALL_IDS: CallIdRules = { refused: /[^\w-]/g, most: 64 };

/** In the place of words where a message must have some and its caller has said none. */
const NO_WORDS = ".";
const NO_OUTPUT = "(no output)";

/** A conversation as a list of messages, in which two speakers take turns and results stand in front, in the order of their calls. */
export function messagesOf(turns: readonly Turn[], model: string): { role: string; content: Json[] }[] {
  const told = { model, nameDocument: createDocumentNames() };
  const messages: Message[] = [];
  for (const turn of withCallIds(turns, hasShortCallIds(model) ? NINE_CHARACTERS : CALL_IDS)) {
    const pieces = turn.role === "assistant" ? assistantPieces(turn.blocks, told) : userPieces(turn.blocks, told);
    // Instructions amid a conversation are said by the user.
    const role = turn.role === "assistant" ? "assistant" : "user";
    const last = messages.at(-1);
    if (pieces.length === 0) continue;
    if (last?.role !== role) messages.push({ role, pieces });
    else for (const piece of pieces) last.pieces.push(piece);
  }
  if (messages[0]?.role === "assistant") messages.unshift({ role: "user", pieces: [wordless()] });
  trimEnd(messages.at(-1));
  return messages.map(({ role, pieces }, at) => {
    const ordered = role === "assistant" ? thoughtFirst(pieces) : inOrder(pieces, messages[at - 1]);
    return { role, content: ordered.flatMap(({ parts }) => parts) };
  });
}

type Told = { model: string; nameDocument: NameDocument };

const wordless = (): Piece => ({ kind: "text", callId: null, parts: [{ text: NO_WORDS }] });

/** An answer that the caller has begun may not end in white space. */
function trimEnd(message: Message | undefined): void {
  const end = message?.role === "assistant" ? message.pieces.at(-1)?.parts[0] : undefined;
  if (typeof end?.["text"] === "string") end["text"] = end["text"].trimEnd();
}

/** A turn may not end in thinking, as one that was broken off does; nothing came of that, so that nobody misses it. */
function assistantPieces(blocks: readonly Block[], told: Told): Piece[] {
  const pieces = blocks.flatMap((block) => pieceOf(block, told));
  return pieces.slice(0, pieces.findLastIndex(({ kind }) => kind !== "thinking") + 1);
}

function userPieces(blocks: readonly Block[], told: Told): Piece[] {
  const pieces = blocks.flatMap((block) => pieceOf(block, told));
  const parts = pieces.flatMap((piece) => piece.parts);
  const lacksText = parts.some((part) => "document" in part) && !parts.some((part) => "text" in part);
  return lacksText ? [wordless(), ...pieces] : pieces;
}

const thoughtFirst = (pieces: readonly Piece[]): Piece[] => [
  ...pieces.filter(({ kind }) => kind === "thinking"),
  ...pieces.filter(({ kind }) => kind !== "thinking"),
];

function inOrder(pieces: readonly Piece[], before: Message | undefined): Piece[] {
  const calls = (before?.pieces ?? []).flatMap(({ kind, callId }) => (kind === "tool_call" ? [callId] : []));
  const placeOf = ({ callId }: Piece): number => {
    const place = calls.indexOf(callId);
    return place === -1 ? calls.length : place;
  };
  return [
    ...pieces.filter(({ kind }) => kind === "tool_result").toSorted((one, other) => placeOf(one) - placeOf(other)),
    ...pieces.filter(({ kind }) => kind !== "tool_result"),
  ];
}

function pieceOf(block: Block, told: Told): Piece[] {
  const parts = partsOf(block, told);
  if (parts.length === 0) return [];
  const hint = "cacheHint" in block ? block.cacheHint : null;
  const point =
    cachesTurns(told.model) && block.kind !== "thinking" ? cachePointOf(hint ?? hintWithin(block), told.model) : [];
  const callId = block.kind === "tool_call" ? block.id : block.kind === "tool_result" ? block.callId : null;
  return [{ kind: block.kind, callId, parts: [...parts, ...point] }];
}

/** No point stands in a result, so that it stands behind. */
const hintWithin = (block: Block): Json | null =>
  block.kind === "tool_result"
    ? (block.blocks
        .map((inner) => ("cacheHint" in inner ? (inner.cacheHint ?? null) : null))
        .findLast((hint) => hint !== null) ?? null)
    : null;

function partsOf(block: Block, told: Told): Json[] {
  switch (block.kind) {
    case "text":
    case "refusal":
      return hasWords(block.text) ? [{ text: block.text }] : [];
    case "image":
    case "document":
      return mediaPart(block, told.nameDocument);
    case "thinking":
      return thoughtPart(block);
    case "tool_call":
      return [{ toolUse: { toolUseId: block.id, name: block.name, input: objectOf(argumentsIn(block.input)) } }];
    case "tool_result":
      return [{ toolResult: resultOf(block, told) }];
    default:
      return block satisfies never;
  }
}

function resultOf({ callId, blocks, failed }: ToolResult, told: Told): Json {
  const content = blocks.flatMap((block) => partsOf(block, told));
  return {
    toolUseId: callId,
    content: content.length === 0 ? [{ text: NO_OUTPUT }] : content,
    ...(failed && takesFailures(told.model) ? { status: "error" } : {}),
  };
}
