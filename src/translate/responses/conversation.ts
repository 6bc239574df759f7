import { addTurn } from "../form/build-form.ts";
import type { Block, Turn } from "../form/request-form.ts";

export type Conversation = {
  add: (turn: Turn) => void;
  /** What a tool has said. */
  addResult: (callId: string, blocks: readonly Block[]) => void;
  turns: () => Turn[];
};

/** A turn, and what came of the calls it made. */
type Draft = Turn & { results: Block[] };

/**
 * Items of the responses format stand in any order, and a tool may say several things for one call. Other formats want one
 * result for each call, right after the turn that made it and before anything else is said.
 */
export function createConversation(): Conversation {
  const drafts: Draft[] = [];
  const callers = new Map<string, Draft>();
  const results = new Map<string, Block[]>();

  function add({ role, blocks }: Turn): void {
    const last = drafts.at(-1);
    const draft = last?.role === role && last.results.length === 0 ? last : { role, blocks: [], results: [] };
    if (draft !== last) drafts.push(draft);
    for (const block of blocks) {
      draft.blocks.push(block);
      if (block.kind !== "tool_call") continue;
      callers.set(block.id, draft);
      // Some providers count their calls anew in every answer; what comes from here on is of this one.
      results.delete(block.id);
    }
  }

  return {
    add,
    addResult: (callId, blocks) => {
      const before = results.get(callId);
      if (before !== undefined) {
        for (const block of blocks) before.push(block);
        return;
      }
      const result = { kind: "tool_result" as const, callId, blocks: [...blocks], failed: false };
      results.set(callId, result.blocks);
      const caller = callers.get(callId);
      if (caller === undefined) add({ role: "user", blocks: [result] });
      else caller.results.push(result);
    },
    turns: () => {
      const turns: Turn[] = [];
      for (const { role, blocks, results: came } of drafts) {
        addTurn(turns, role, blocks);
        addTurn(turns, "user", came);
      }
      return turns;
    },
  };
}
