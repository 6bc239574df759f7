import { createHash } from "node:crypto";
import type { Block, Turn } from "../request-form.ts";

/** What a provider takes for the id of a call. */
export type CallIdRules = {
  /** The longest; absent, any. */
  most?: number;
  /** Characters it refuses; absent, none. */
  refused?: RegExp;
  /** So many letters and digits and nothing else, whatever the others say; absent, it is not that strict. */
  exactly?: number;
};

/** Mistral checks this of every call and result. */
export const NINE_CHARACTERS: CallIdRules = { exactly: 9 };

/** The ids of one conversation, asked for in its order. */
export type CallIds = { ofCall: (given: string) => string; ofResult: (given: string) => string };

const DIGEST_CHARACTERS = 8;

/**
 * Ids of calls that a provider takes, each of them once: formats differ in what an id may be, and callers bring what other
 * providers gave. Ids depend on what stands before them alone, so that those of a conversation that goes on stay as they were,
 * and providers find what they have cached of it.
 */
export function createCallIds(rules: CallIdRules): CallIds {
  const taken = new Set<string>();
  /** What the latest call of each id is called now; its result comes after it and before the next. */
  const latest = new Map<string, string>();
  let repeated = 0;

  function ofCall(given: string): string {
    const fitting = fit(given, rules);
    let id = fitting;
    while (taken.has(id)) id = another(fitting, ++repeated, rules);
    taken.add(id);
    latest.set(given, id);
    return id;
  }

  return { ofCall, ofResult: (given) => latest.get(given) ?? fit(given, rules) };
}

/** A conversation with ids of calls that its provider takes. */
export function withCallIds(turns: readonly Turn[], rules: CallIdRules): Turn[] {
  const { ofCall, ofResult } = createCallIds(rules);
  const blockOf = (block: Block): Block => {
    if (block.kind === "tool_call") return { ...block, id: ofCall(block.id) };
    return block.kind === "tool_result" ? { ...block, callId: ofResult(block.callId) } : block;
  };
  return turns.map(({ role, blocks }) => ({ role, blocks: blocks.map((block) => blockOf(block)) }));
}

/** The id itself where the provider takes it, else one that is always the same for it. */
export function fit(given: string, { most = Number.POSITIVE_INFINITY, refused, exactly }: CallIdRules): string {
  if (exactly !== undefined) return isPlain(given, exactly) ? given : digestOf(given, exactly);
  const usable = (refused ? given.replaceAll(refused, "_") : given) || "call";
  return usable.length <= most ? usable : joined(usable, digestOf(given, DIGEST_CHARACTERS), most);
}

function another(id: string, count: number, { most = Number.POSITIVE_INFINITY, exactly }: CallIdRules): string {
  return exactly === undefined ? joined(id, String(count), most) : digestOf(`${id} ${count}`, exactly);
}

const isPlain = (id: string, length: number): boolean => id.length === length && /^[a-zA-Z0-9]*$/.test(id);

const digestOf = (text: string, characters: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, characters);

const joined = (start: string, end: string, most: number): string => `${start.slice(0, most - end.length - 1)}_${end}`;
