type Call = Record<string, unknown> & { index: number };

/** More calls than any answer has; those after them keep the number they were given. */
const MOST_CALLS = 10_000;

/**
 * Numbers the calls of one choice from 0, in the order they begin. Official clients keep calls in a list by their numbers;
 * some providers begin at 1, and some give every call the same number and another id.
 */
export function createCallNumbers(): (call: Call) => Call {
  const known = new Map<number, { id: unknown; number: number }>();
  let begun = 0;

  return (call) => {
    const { id, index } = call;
    const before = known.get(index);
    const another = before === undefined || (id !== undefined && before.id !== undefined && before.id !== id);
    if (another && begun >= MOST_CALLS) return call;
    const now = another ? { id, number: begun++ } : { ...before, id: before.id ?? id };
    known.set(index, now);
    return { ...call, index: now.number };
  };
}
