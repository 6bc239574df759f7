import { type Block, type Group, tokensOf } from "../plan/block.ts";
import { callIdOf, headDelta, proofDelta, REASONS, wholeMessage, wrapping } from "./chat-blocks.ts";
import type { Generation, JsonObject, Stretch, StreamEncoder } from "../dialect.ts";
import { tierNamed } from "../plan/generation.ts";
import { tokenOf } from "../plan/lanes.ts";
import { serverFailure } from "../ask/openai-errors.ts";

export const DONE = "data: [DONE]\n\n";

export function encodeChat(generation: Generation): StreamEncoder {
  const { ask, groups, stop } = generation;
  const choices = Array.from({ length: ask.choices }, (_, choice) => choice);
  const suffix = ask.streamUsage ? ',"usage":null}\n\n' : "}\n\n";
  const head = `data: ${JSON.stringify(envelope(generation, "chat.completion.chunk")).slice(0, -1)},"choices":`;
  const tail = `,"logprobs":null,"finish_reason":null}]${suffix}`;
  const chunk = (choice: number, delta: JsonObject, finish: string | null = null) =>
    `${head}[{"index":${choice},"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}]${suffix}`;
  const everyChoice = (deltaOf: (choice: number) => JsonObject | null) =>
    choices.flatMap((choice) => {
      const delta = deltaOf(choice);
      return delta === null ? [] : [chunk(choice, delta)];
    });

  const beginning = groups[0]?.[0];

  function stretchOf(group: Group): Stretch {
    const shown = group.filter((block) => isShown(block));
    const lanes = shown.flatMap((block) => {
      const { before, content, after } = wrapping(block);
      return choices.map((choice) => ({
        before: `${head}[{"index":${choice},"delta":${before}`,
        content,
        after: `${after}${tail}`,
      }));
    });
    return {
      // The first call is begun by the chunk that names the speaker.
      before: () =>
        group.flatMap((block) =>
          block === beginning ? [] : everyChoice((choice) => headDelta(block, callIdOf(generation, block, choice))),
        ),
      tokens: tokensOf(shown) * ask.choices,
      token: tokenOf(lanes),
      after: () => group.flatMap((block) => everyChoice(() => proofDelta(block, generation))),
    };
  }

  return {
    opening: () => choices.map((choice) => chunk(choice, openingDelta(generation, beginning, choice))),
    stretches: groups.map((group) => stretchOf(group)),
    closing: () => [
      ...choices.map((choice) => chunk(choice, {}, REASONS[stop.reason])),
      ...(ask.streamUsage && generation.usage ? [`${head}[],"usage":${JSON.stringify(usageOf(generation))}}\n\n`] : []),
      DONE,
    ],
    failure: () => `data: ${JSON.stringify(serverFailure)}\n\n`,
    broken: `${head}[{"index":0,"delta":{"content":"\n\n`,
  };
}

const isShown = (block: Block): boolean => block.kind !== "thinking" || block.thoughts !== "hidden";

function openingDelta(generation: Generation, block: Block | undefined, choice: number): JsonObject {
  switch (block?.kind) {
    case "call":
      return {
        role: "assistant",
        content: null,
        ...headDelta(block, callIdOf(generation, block, choice)),
        refusal: null,
      };
    case "thinking":
      return { role: "assistant", content: null, ...(block.thoughts === "shown" ? { reasoning_content: "" } : {}) };
    case "refusal":
      return { role: "assistant", content: null, refusal: "" };
    case "text":
    case "search":
    case undefined:
      return { role: "assistant", content: "", refusal: null };
    default:
      return block satisfies never;
  }
}

export function answerChat(generation: Generation): string {
  const usage = usageOf(generation);
  return JSON.stringify({
    ...envelope(generation, "chat.completion"),
    choices: Array.from({ length: generation.ask.choices }, (_, index) => ({
      index,
      message: wholeMessage(generation, index),
      logprobs: null,
      finish_reason: REASONS[generation.stop.reason],
    })),
    ...(usage && { usage }),
  });
}

const envelope = (generation: Generation, object: string) => ({
  id: `chatcmpl-${generation.id}`,
  object,
  created: generation.createdAtSeconds,
  model: generation.ask.model,
  service_tier: tierNamed(generation, "default"),
  system_fingerprint: "fp_simulator",
});

function usageOf({ usage }: Generation): JsonObject | null {
  if (!usage) return null;
  return {
    ...usage.billed,
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.totalTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.thoughtTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
