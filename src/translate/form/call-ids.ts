import { createHash } from "node:crypto";
import type { Block, Turn } from "./request-form.ts";

/** What a provider takes for the id of a call. */
export type CallIdRules = {
  /** The longest; absent, any. */
  most?: number;
  /** Characters it refuses; absent, none. */
  refused?: RegExp;
};

const DIGEST_CHARACTERS = 8;

/**
 * A conversation with ids of calls that its provider takes, each of them once: formats differ in what an id may be, and callers
 * bring what other providers gave. Ids depend on what stands before them alone, so that those of a conversation that goes on
 * stay as they were, and providers find what they have cached of it.
 */
export function withCallIds(turns: readonly Turn[], rules: CallIdRules): Turn[] {
  const taken = new Set<string>();
  /** What the latest call of each id is called now; its result comes after it and before the next. */
  const latest = new Map<string, string>();
  let repeated = 0;

  function idOf(given: string): string {
    const fitting = fit(given, rules);
    let id = fitting;
    while (taken.has(id)) id = joined(fitting, String(++repeated), rules);
    taken.add(id);
    latest.set(given, id);
    return id;
  }

  const blockOf = (block: Block): Block => {
    if (block.kind === "tool_call") return { ...block, id: idOf(block.id) };
    if (block.kind !== "tool_result") return block;
    return { ...block, callId: latest.get(block.callId) ?? fit(block.callId, rules) };
  };
  return turns.map(({ role, blocks }) => ({ role, blocks: blocks.map((block) => blockOf(block)) }));
}

function fit(given: string, rules: CallIdRules): string {
  const usable = (rules.refused ? given.replaceAll(rules.refused, "_") : given) || "call";
  if (usable.length <= (rules.most ?? Number.POSITIVE_INFINITY)) return usable;
  return joined(usable, createHash("sha256").update(given).digest("hex").slice(0, DIGEST_CHARACTERS), rules);
}

const joined = (start: string, end: string, { most }: CallIdRules): string =>
  `${most === undefined ? start : start.slice(0, most - end.length - 1)}_${end}`;
