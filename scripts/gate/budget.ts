import type { TimeSpent } from "../../tests/support/time-spent.ts";

/** Seconds of processor time that a file of tests may take in the gate. */
const MOST_S = 15;

/** Files that are worth more: about half as much again as they took in the runs of docs/explain/the-gate.md. */
const WORTH_MORE_S: Readonly<Record<string, number>> = {
  "tests/chaos/attack.test.ts": 95,
  "tests/chaos/back-and-forth/back-and-forth.test.ts": 25,
  "tests/chaos/busy-loop/busy-loop.test.ts": 45,
  "tests/chaos/chains/caps.test.ts": 35,
  "tests/chaos/fuzz.test.ts": 25,
  "tests/chaos/ledger/kill-points.test.ts": 35,
  "tests/chaos/ledger/outages.test.ts": 30,
  "tests/chaos/ledger/random-kills.test.ts": 40,
  "tests/chaos/rolling-update/rolling-update.test.ts": 25,
  "tests/chaos/stalled-output.test.ts": 25,
  "tests/conformance/clients/openai-go.test.ts": 120,
  "tests/conformance/clients/tool-runners.test.ts": 80,
  "tests/conformance/console-sessions.test.ts": 25,
  "tests/conformance/demo.test.ts": 60,
  "tests/conformance/docs-samples.test.ts": 20,
  "tests/conformance/fenced-commands.test.ts": 125,
  "tests/conformance/package.test.ts": 25,
  "tests/conformance/proxies.test.ts": 25,
  "tests/conformance/recorded-crossings.test.ts": 40,
  "tests/conformance/systemd-page.test.ts": 40,
  "tests/conformance/workers.test.ts": 40,
};

type Spent = Pick<TimeSpent, "file" | "processorMs">;

export const budgetOf = (file: string): number => WORTH_MORE_S[file] ?? MOST_S;

/** A line for each file that took more than it may. It fails no run: a machine with cold caches or much else to do takes several times as long. */
export const judgeBudget = (spent: readonly Spent[]): string[] =>
  spent
    .map(({ file, processorMs }) => ({ file, tookS: processorMs / 1_000, mostS: budgetOf(file) }))
    .filter(({ tookS, mostS }) => tookS > mostS)
    .map(
      ({ file, tookS, mostS }) =>
        `OVER BUDGET ${file} took ${tookS.toFixed(1)} s of processor time, and may take ${mostS} (scripts/gate/budget.ts)`,
    );

/** Files with a budget of their own. */
export const budgeted: readonly string[] = Object.keys(WORTH_MORE_S);
