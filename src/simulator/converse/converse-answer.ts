import { isObject } from "../../core/bytes/is-object.ts";
import type { Generation, JsonObject, Stretch, StreamEncoder } from "../dialect.ts";
import { type Block, type Group, type Stop, textOf, tokensOf } from "../plan/block.ts";
import { blocksOf, tierNamed } from "../plan/generation.ts";
import { seal, sign } from "../plan/proof.ts";
import { unavailable } from "./converse-errors.ts";
import { frameConverse } from "./converse-frames.ts";

const REASONS: Record<Stop["reason"], string> = {
  end: "end_turn",
  length: "max_tokens",
  tool: "tool_use",
  refused: "content_filtered",
  sequence: "stop_sequence",
};

export function encodeConverse(generation: Generation): StreamEncoder {
  const groups = generation.groups;
  const before = (place: number): number => groups.slice(0, place).flat().length;
  return {
    opening: () => [event("messageStart", { role: "assistant" })],
    stretches: groups.map((group, place) => stretchOf(generation, group, before(place))),
    closing: () => [
      event("messageStop", stopOf(generation)),
      event("metadata", { ...usageOf(generation), metrics: { latencyMs: 1 }, ...tierOf(generation) }),
    ],
    failure: unavailable,
    broken: `${headOf(0)}{"text":"\n\n`,
  };
}

const event = (name: string, data: JsonObject): string => frameConverse(name, JSON.stringify({ ...data, p: "ab" }));

const headOf = (index: number): string => `event: contentBlockDelta\ndata: {"contentBlockIndex":${index},"delta":`;

const DELTAS: Record<Block["kind"], readonly [head: string, tail: string]> = {
  text: ['{"text":"', '"}'],
  refusal: ['{"text":"', '"}'],
  search: ['{"text":"', '"}'],
  thinking: ['{"reasoningContent":{"text":"', '"}}'],
  call: ['{"toolUse":{"input":"', '"}}'],
};

/** It hides how long a text is. */
const PADDING = "abcdefghijklmnopqrstuvwxyz";

/** Only a call is announced. `first` is the number of the group's first block. */
function stretchOf(generation: Generation, group: Group, first: number): Stretch {
  const lanes = group.flatMap((block, place) =>
    isShown(generation, block)
      ? [{ content: block.content, head: headOf(first + place), parts: DELTAS[block.kind] }]
      : [],
  );
  return {
    before: () =>
      group.flatMap((block, place) =>
        block.kind === "call"
          ? [
              event("contentBlockStart", {
                contentBlockIndex: first + place,
                start: { toolUse: namesOf(generation, block) },
              }),
            ]
          : [],
      ),
    tokens: lanes.length === 0 ? 0 : tokensOf(group),
    token: (index) => {
      const lane = lanes[index % lanes.length];
      if (lane === undefined) return "";
      const [head, tail] = lane.parts;
      const text = lane.content.escapedPiece(Math.floor(index / lanes.length));
      return `${lane.head}${head}${text}${tail},"p":"${PADDING.slice(0, 1 + (index % 26))}"}\n\n`;
    },
    after: () =>
      group.flatMap((block, place) => {
        const contentBlockIndex = first + place;
        const proof = proofOf(generation, block);
        return [
          ...(proof === null
            ? []
            : [event("contentBlockDelta", { contentBlockIndex, delta: { reasoningContent: proof } })]),
          event("contentBlockStop", { contentBlockIndex }),
        ];
      }),
  };
}

/** Thoughts may be asked for without their text: then there is a signature and nothing else. */
function isShown({ ask }: Generation, block: Block): boolean {
  if (block.kind !== "thinking") return true;
  const { additionalModelRequestFields: fields } = ask.body;
  const thinking = isObject(fields) ? fields["thinking"] : null;
  return block.thoughts !== "hidden" && !(isObject(thinking) && thinking["display"] === "omitted");
}

const shownText = (generation: Generation, block: Block): string => (isShown(generation, block) ? textOf(block) : "");

/** Null for what needs none. */
function proofOf(generation: Generation, block: Block): JsonObject | null {
  if (block.kind !== "thinking") return null;
  if (block.thoughts === "hidden") return { redactedContent: redactedOf(generation) };
  return { signature: sign("signature", shownText(generation, block)) };
}

const redactedOf = ({ id }: Generation): string => Buffer.from(seal("redacted", id)).toString("base64");

const namesOf = ({ id }: Generation, { name, number }: Extract<Block, { kind: "call" }>): JsonObject => ({
  toolUseId: `tooluse_${id}${number === 0 ? "" : `_${number}`}`,
  name,
});

export function answerConverse(generation: Generation): string {
  const content = blocksOf(generation).map((block) => wholeBlock(generation, block));
  return JSON.stringify({
    output: { message: { role: "assistant", content } },
    ...stopOf(generation),
    ...usageOf(generation),
    metrics: { latencyMs: 1 },
    ...tierOf(generation),
  });
}

function wholeBlock(generation: Generation, block: Block): JsonObject {
  switch (block.kind) {
    case "text":
    case "refusal":
    case "search":
      return { text: textOf(block) };
    case "call":
      return { toolUse: { ...namesOf(generation, block), input: block.whole ? JSON.parse(textOf(block)) : {} } };
    case "thinking": {
      if (block.thoughts === "hidden") return { reasoningContent: { redactedContent: redactedOf(generation) } };
      const reasoningText = { text: shownText(generation, block), ...proofOf(generation, block) };
      return { reasoningContent: { reasoningText } };
    }
    default:
      return block satisfies never;
  }
}

/** Which sequence was met is told to who asks for it, in the place that they name. */
function stopOf({ stop: { reason, sequence }, ask }: Generation): JsonObject {
  const { additionalModelResponseFieldPaths: paths } = ask.body;
  const told = Array.isArray(paths) && paths.includes(ask.streamed ? "/delta/stop_sequence" : "/stop_sequence");
  const where = ask.streamed ? { delta: { stop_sequence: sequence } } : { stop_sequence: sequence };
  return {
    stopReason: REASONS[reason],
    ...(told && sequence !== null && { additionalModelResponseFields: where }),
  };
}

/** In this dialect cached tokens are counted beside the input, and thoughts within the output and by nobody apart. */
function usageOf({ usage }: Generation): JsonObject {
  if (usage === null) return {};
  const { inputTokens: input, outputTokens, totalTokens, cachedTokens } = usage;
  const inputTokens = typeof input === "number" && input > 0 ? input - cachedTokens : input;
  const cached = { cacheReadInputTokens: cachedTokens, cacheWriteInputTokens: 0 };
  return { usage: { inputTokens, outputTokens, totalTokens, ...cached } };
}

const tierOf = (generation: Generation): JsonObject => {
  const type = tierNamed(generation, "default");
  return type === undefined ? {} : { serviceTier: { type } };
};
