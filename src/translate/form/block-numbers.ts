import type { AnswerEvent, BlockHead } from "./answer-form.ts";
import type { Citation } from "./citation.ts";
import type { TokenProbability } from "./token-probability.ts";

/** Numbers the blocks of one answer by the names their provider has for them. */
export function createBlockNumbers<Name>() {
  const open = new Map<Name, number>();
  const callIds = new Set<string>();
  let begun = 0;
  return {
    has: (name: Name): boolean => open.has(name),
    start: (name: Name, block: BlockHead): AnswerEvent[] => {
      const before = stop(name);
      open.set(name, begun);
      return [...before, { kind: "block-started", index: begun++, block: withOwnId(block) }];
    },
    /** A token may be a part of a character, so that there is something to say of it and nothing to show. */
    grow: (name: Name, text: unknown, probabilities: readonly TokenProbability[] = []): AnswerEvent[] => {
      const index = open.get(name);
      if (index === undefined || typeof text !== "string") return [];
      if (probabilities.length > 0) return [{ kind: "block-grew", index, text, probabilities }];
      return text === "" ? [] : [{ kind: "block-grew", index, text }];
    },
    cite: (name: Name, citations: readonly Citation[]): AnswerEvent[] => {
      const index = open.get(name);
      return index === undefined ? [] : citations.map((citation) => ({ kind: "block-cited", index, citation }));
    },
    seal: (name: Name, native: Extract<AnswerEvent, { kind: "block-sealed" }>["native"]): AnswerEvent[] => {
      const index = open.get(name);
      return index === undefined ? [] : [{ kind: "block-sealed", index, native }];
    },
    stop,
    stopAll: (): AnswerEvent[] => [...open.keys()].flatMap((name) => stop(name)),
    begun: (): number => begun,
    names: (): Name[] => [...open.keys()],
  };

  /** Results are told apart by the ids of their calls, so that no two calls of an answer may share one. */
  function withOwnId(block: BlockHead): BlockHead {
    if (block.kind !== "tool_call") return block;
    let id = block.id === "" ? `call_${begun}` : block.id;
    while (callIds.has(id)) id = `${id}_${begun}`;
    callIds.add(id);
    return { ...block, id };
  }

  function stop(name: Name): AnswerEvent[] {
    const index = open.get(name);
    if (index === undefined) return [];
    open.delete(name);
    return [{ kind: "block-stopped", index }];
  }
}
