import type { FuzzCase } from "./fuzz-case.ts";
import type { Played } from "./play-case.ts";

/** What was asked and answered, per route. */
export type Tally = { add: (fuzzCase: FuzzCase, played: Played) => void; requests: () => number; table: () => string };

type Row = { requests: number; outcomes: Map<string, number>; slowestMs: number; slowest: string };

export function createTally(): Tally {
  const rows = new Map<string, Row>();

  return {
    add: ({ route, lane }, { answers, end, ms }) => {
      const row = rows.get(route) ?? { requests: 0, outcomes: new Map<string, number>(), slowestMs: 0, slowest: "" };
      rows.set(route, row);
      row.requests += 1;
      const outcome = answers[0] === undefined ? end : String(answers[0].status);
      row.outcomes.set(outcome, (row.outcomes.get(outcome) ?? 0) + 1);
      if (ms <= row.slowestMs) return;
      row.slowestMs = ms;
      row.slowest = lane;
    },
    requests: () => [...rows.values()].reduce((sum, { requests }) => sum + requests, 0),
    table: () => {
      const lines = [...rows]
        .toSorted(([one], [other]) => one.localeCompare(other))
        .map(([route, row]) => lineOf(route, row));
      return ["route         requests  slowest ms  answers", ...lines].join("\n");
    },
  };
}

function lineOf(route: string, { requests, outcomes, slowestMs, slowest }: Row): string {
  const answers = [...outcomes]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([outcome, count]) => `${outcome} × ${count}`);
  const cells = [route.padEnd(12), String(requests).padStart(9), slowestMs.toFixed(0).padStart(11)];
  return `${cells.join(" ")}  ${answers.join(", ")} (slowest: ${slowest})`;
}
