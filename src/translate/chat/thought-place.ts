import type { BlockHead } from "../form/answer-form.ts";
import type { Native, OpenSeal } from "../form/native.ts";
import { objectOf } from "../form/read-json.ts";
import type { Block } from "../form/request-form.ts";

/**
 * Where thinking stood in its turn: after how many calls, and whether words came before it. A chat message tells its thinking,
 * its words and its calls apart, but a provider that has thought between its calls refuses them in another order.
 */
export type Place = { calls: number; spoken: boolean };
type Thinking = Extract<Block, { kind: "thinking" }>;
export type PlacedThought = { block: Thinking; place: Place };

/** What a provider wants to see again together with its place; at the beginning, where it nearly always is, without. */
export function placed({ dialect, value }: Native, { calls, spoken }: Place): Native {
  return { dialect, value: calls === 0 && !spoken ? value : { ...value, [PLACE]: { calls, spoken } } };
}

/** Follows the blocks of an answer as they begin, and says where each stands. */
export function createPlaces(): (head: BlockHead) => Place {
  let calls = 0;
  let spoken = false;
  return ({ kind }) => {
    const place = { calls, spoken };
    if (kind === "tool_call") calls++;
    spoken ||= kind === "text" || kind === "refusal";
    return place;
  };
}

export function openPlaced(sealed: unknown, text: string, open: OpenSeal): PlacedThought | null {
  const native = open(sealed);
  if (native === null) return null;
  const { [PLACE]: given, ...value } = native.value;
  const { calls, spoken } = objectOf(given);
  return {
    block: { kind: "thinking", text, native: { dialect: native.dialect, value } },
    place: { calls: typeof calls === "number" ? calls : 0, spoken: spoken === true },
  };
}

/** Of no dialect's own. */
const PLACE = "tollgate_place";

/** A turn in the order in which it was written. */
export function inPlace(thoughts: readonly PlacedThought[], said: readonly Block[], calls: readonly Block[]): Block[] {
  const first = thoughts.filter(({ place }) => place.calls === 0);
  const later = new Map<number, Block[]>();
  for (const { block, place } of thoughts) {
    if (place.calls === 0) continue;
    const at = Math.min(place.calls, calls.length);
    const others = later.get(at);
    if (others === undefined) later.set(at, [block]);
    else others.push(block);
  }
  return [
    ...first.filter(({ place }) => !place.spoken).map(({ block }) => block),
    ...said,
    ...first.filter(({ place }) => place.spoken).map(({ block }) => block),
    ...calls.flatMap((call, index) => [...((index > 0 && later.get(index)) || []), call]),
    ...(later.get(calls.length) ?? []),
  ];
}
