import { type Group, type Stop, textOf, tokensOf } from "../plan/block.ts";
import type { Generation, JsonObject, Stretch, StreamEncoder } from "../dialect.ts";
import { blocksOf, tierNamed } from "../plan/generation.ts";
import { tokenOf } from "../plan/lanes.ts";
import type { UsageReport } from "../plan/usage-report.ts";
import { DELTAS, emptyBlock, isShown, proofDelta, resultBlock, wholeBlock, widthOf } from "./message-blocks.ts";

const REASONS: Record<Stop["reason"], string> = {
  end: "end_turn",
  length: "max_tokens",
  tool: "tool_use",
  refused: "refusal",
  sequence: "stop_sequence",
};

export function encodeMessage(generation: Generation): StreamEncoder {
  // What was refused is told with the end of the message; there is no block for it.
  const groups = generation.groups.filter((group) => group.every(({ kind }) => kind !== "refusal"));
  const usage = generation.usage && {
    usage: usageOf({ ...generation, usage: beforeTools(generation.usage) }, 1),
  };
  const message = { ...envelope(generation), content: [], stop_reason: null, stop_sequence: null, ...usage };

  return {
    opening: () => [event({ type: "message_start", message })],
    stretches: groups.map((group, place) => stretchOf(generation, group, widthBefore(groups, place))),
    closing: () => [
      event({
        type: "message_delta",
        delta: stopOf(generation),
        ...(generation.usage && { usage: totals(generation) }),
      }),
      event({ type: "message_stop" }),
    ],
    failure: () => event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    broken: `${deltaHead(0)}${DELTAS.text}\n\n`,
  };
}

const beforeTools = (usage: UsageReport): UsageReport => ({
  ...usage,
  inputTokens: usage.promptTokens,
  searches: 0,
  pages: 0,
});

const widthBefore = (groups: readonly Group[], place: number): number =>
  groups
    .slice(0, place)
    .flat()
    .reduce((sum, block) => sum + widthOf(block), 0);

const deltaHead = (index: number) =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":`;

/** `first` is the number of the group's first block. */
function stretchOf(generation: Generation, group: Group, first: number): Stretch {
  const lanes = group.flatMap((block, place) =>
    isShown(generation, block)
      ? [{ before: deltaHead(first + place) + DELTAS[block.kind], content: block.content, after: '"}}\n\n' }]
      : [],
  );
  return {
    before: () => [
      ...group.map((block, place) =>
        event({ type: "content_block_start", index: first + place, content_block: emptyBlock(generation, block) }),
      ),
      ...(first === 0 ? [event({ type: "ping" })] : []),
    ],
    tokens: lanes.length === 0 ? 0 : tokensOf(group),
    token: tokenOf(lanes),
    after: () =>
      group.flatMap((block, place) => {
        const index = first + place;
        const delta = proofDelta(generation, block);
        return [
          ...(delta === null ? [] : [event({ type: "content_block_delta", index, delta })]),
          event({ type: "content_block_stop", index }),
          ...(block.kind === "search" && block.whole
            ? [
                event({ type: "content_block_start", index: index + 1, content_block: resultBlock(generation, block) }),
                event({ type: "content_block_stop", index: index + 1 }),
              ]
            : []),
        ];
      }),
  };
}

export function answerMessage(generation: Generation): string {
  return JSON.stringify({
    ...envelope(generation),
    content: blocksOf(generation).flatMap((block) => wholeBlock(generation, block)),
    ...stopOf(generation),
    ...(generation.usage && { usage: usageOf(generation, generation.usage.outputTokens) }),
  });
}

const event = (data: { type: string } & JsonObject) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const envelope = ({ id, ask }: Generation) => ({
  id: `msg_${id}`,
  type: "message",
  role: "assistant",
  model: ask.model,
});

function stopOf(generation: Generation): JsonObject {
  const { reason, sequence } = generation.stop;
  const refusal = blocksOf(generation).find(({ kind }) => kind === "refusal");
  const details = refusal && { type: "refusal", category: "cyber", explanation: textOf(refusal) };
  return { stop_reason: REASONS[reason], stop_sequence: sequence, ...(details && { stop_details: details }) };
}

/** In this dialect cached tokens are counted beside the input, not inside it. */
function totals({ usage }: Generation): JsonObject {
  const input = usage?.inputTokens;
  return {
    input_tokens: typeof input === "number" && input > 0 ? input - (usage?.cachedTokens ?? 0) : input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage?.cachedTokens,
    output_tokens: usage?.outputTokens,
    ...(usage && usage.searches + usage.pages > 0
      ? { server_tool_use: { web_search_requests: usage.searches, web_fetch_requests: usage.pages } }
      : {}),
    ...(usage?.thoughtTokens ? { output_tokens_details: { thinking_tokens: usage.thoughtTokens } } : {}),
  };
}

const usageOf = (generation: Generation, outputTokens: number | string): JsonObject => ({
  ...totals(generation),
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: outputTokens,
  service_tier: "standard",
  speed: tierNamed(generation, "standard"),
  inference_geo: generation.served.region ?? "global",
});
