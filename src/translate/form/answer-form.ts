import type { Citation } from "./citation.ts";
import type { Native } from "./native.ts";
import type { Tier, TierNamed } from "./tier.ts";
import { type TokenProbability, weightOf } from "./token-probability.ts";

/** Why a model stopped, in no dialect's words. */
export type StopReason = "end" | "length" | "tool" | "stop_sequence" | "refused";

export type BlockHead =
  | { kind: "text" }
  | { kind: "refusal" }
  | { kind: "thinking" }
  | { kind: "tool_call"; id: string; name: string };

/**
 * An answer as it comes, block by block. Blocks have numbers of their own, in the order they began; several may be open at once,
 * since some providers write parallel calls in turns.
 */
export type AnswerEvent =
  | TierNamed
  | { kind: "answer-started" }
  | { kind: "block-started"; index: number; block: BlockHead }
  | { kind: "block-grew"; index: number; text: string; probabilities?: readonly TokenProbability[] }
  /** Belongs to text: what it rests on. */
  | { kind: "block-cited"; index: number; citation: Citation }
  /** Belongs to thinking: what its own provider wants to see again. */
  | { kind: "block-sealed"; index: number; native: Native }
  | { kind: "block-stopped"; index: number }
  | { kind: "answer-stopped"; stop: Stop };

export type Stop = {
  reason: StopReason;
  /** The sequence that was met, where the provider says which. */
  sequence: string | null;
};

export type AnsweredBlock = {
  head: BlockHead;
  text: string;
  citations: Citation[];
  probabilities: TokenProbability[];
  native: Native | null;
  stopped: boolean;
};

export const begunBlock = (head: BlockHead): AnsweredBlock => ({
  head,
  text: "",
  citations: [],
  probabilities: [],
  native: null,
  stopped: false,
});

/** An answer so far. */
export type Answer = { blocks: AnsweredBlock[]; stop: Stop; tier: Tier | null; length: number };

/** Adds up events; plain and streamed answers are both made of what this comes to, so they cannot disagree. */
export function createFold(): { answer: Answer; add: (event: AnswerEvent) => void } {
  const answer: Answer = { blocks: [], stop: { reason: "end", sequence: null }, tier: null, length: 0 };
  return {
    answer,
    add: (event) => {
      switch (event.kind) {
        case "tier-named":
          answer.tier = event.tier;
          break;
        case "answer-started":
          break;
        case "block-started":
          answer.blocks[event.index] = begunBlock(event.block);
          break;
        case "block-grew":
          grow(blockAt(answer, event.index), event);
          answer.length += event.text.length + (event.probabilities ? weightOf(event.probabilities) : 0);
          break;
        case "block-cited": {
          const { url, title, quote } = event.citation;
          blockAt(answer, event.index).citations.push(event.citation);
          answer.length += url.length + title.length + quote.length;
          break;
        }
        case "block-sealed":
          blockAt(answer, event.index).native = event.native;
          break;
        case "block-stopped":
          blockAt(answer, event.index).stopped = true;
          break;
        case "answer-stopped":
          answer.stop = event.stop;
          break;
        default:
          event satisfies never;
      }
    },
  };
}

function grow(block: AnsweredBlock, { text, probabilities }: Extract<AnswerEvent, { kind: "block-grew" }>): void {
  block.text += text;
  if (probabilities !== undefined) for (const probability of probabilities) block.probabilities.push(probability);
}

export function blockAt(answer: Answer, index: number): AnsweredBlock {
  const block = answer.blocks[index];
  if (block === undefined) throw new Error(`invariant broken: no block ${index} was begun`);
  return block;
}

/** Providers often say that they are done when they mean that a tool is to be called. */
export function reasonOf({ blocks, stop }: Answer): StopReason {
  const calls = blocks.some(({ head }) => head.kind === "tool_call");
  return stop.reason === "end" && calls ? "tool" : stop.reason;
}
