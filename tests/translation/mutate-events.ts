import fc from "fast-check";

/** Something that no provider should do to a stream; places are shares of what there is to choose from. */
type Mutation =
  | { kind: "replace"; at: number; member: number; value: unknown }
  | { kind: "remove"; at: number; member: number }
  | { kind: "repeat" | "drop" | "last"; at: number }
  | { kind: "insert"; at: number; value: unknown };

/** Not of `fc.double`, which is nearly always next to 0. */
const share = fc.nat(999).map((thousandths) => thousandths / 1_000);

/** What a reader may not have thought of, and members that mean something somewhere with it as their value. */
const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    null,
    true,
    0,
    5,
    7,
    9,
    -1,
    -0.5,
    1e21,
    Number.MAX_SAFE_INTEGER,
    2 ** 32,
    "",
    "x",
    "0",
    "__proto__",
    "[DONE]",
  ),
  fc.constantFrom({}, [], [null], [[]], { type: "text" }, { type: "tool_use" }, [{ index: 1e9 }], { toString: 1 }),
  fc.jsonValue({ maxDepth: 2 }),
);

export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("replace" as const), at: share, member: share, value: strange }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("remove" as const), at: share, member: share }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("repeat" as const, "drop" as const, "last" as const), at: share }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("insert" as const), at: share, value: strange }) },
);

export function mutate(events: readonly unknown[], mutations: readonly Mutation[]): unknown[] {
  let mutated: unknown[] = structuredClone([...events]);
  for (const next of mutations) mutated = apply(mutated, next);
  return mutated;
}

function apply(events: unknown[], mutation: Mutation): unknown[] {
  const at = Math.floor(mutation.at * events.length);
  const event = events[at];
  switch (mutation.kind) {
    case "repeat":
      return events.toSpliced(at, 0, event);
    case "drop":
      return events.toSpliced(at, 1);
    case "last":
      return [...events.toSpliced(at, 1), event];
    case "insert":
      return events.toSpliced(at, 0, mutation.value);
    case "replace":
    case "remove": {
      const members = membersOf(event);
      const chosen = members[Math.floor(mutation.member * members.length)];
      if (chosen === undefined) return events;
      if (mutation.kind === "replace") chosen.owner[chosen.name] = structuredClone(mutation.value);
      else delete chosen.owner[chosen.name];
      return events;
    }
    default:
      return mutation satisfies never;
  }
}

type Member = { owner: Record<string, unknown>; name: string };

function membersOf(value: unknown): Member[] {
  if (typeof value !== "object" || value === null) return [];
  const owner = value as Record<string, unknown>;
  return Object.keys(owner).flatMap((name) => [{ owner, name }, ...membersOf(owner[name])]);
}
