import type { Attempt, Lane } from "./attempt.ts";
import { FORMATS } from "./formats.ts";

/**
 * The attempts on fewer lanes: of each format of callers one, the next one for each attempt, so that all of them together take every lane.
 * The long run and `npm run attack` take all lanes of each attempt.
 */
export function onFewerLanes(attempts: readonly Attempt[]): Attempt[] {
  return attempts.map((attempt, turn) =>
    attempt.kind === "price" ? { ...attempt, lanes: lanesOf(attempt.lanes, turn) } : attempt,
  );
}

const lanesOf = (lanes: readonly Lane[], turn: number): Lane[] =>
  FORMATS.flatMap((caller, place) => {
    const its = lanes.filter((lane) => lane.caller === caller);
    return its[(turn + place) % Math.max(1, its.length)] ?? [];
  });
