import { expect, test } from "vitest";
import { type Conduct, type OutageReport, simulateOutage } from "../../tests/support/outage-simulation.ts";
import { cases } from "../../tests/support/cases.ts";

const RUNS = cases({ gate: 10, long: 200 });

type Phases = readonly (readonly [fromS: number, conduct: Conduct])[];
/** At most this, in any run. */
type Bound = Partial<Record<"secondsToOpen" | "secondsToClose" | "askedDead" | "failed", number>>;
type Row = { name: string; providers: readonly Phases[]; most: Bound };

const during = (conduct: Conduct, seconds: number): Phases => [
  [60, conduct],
  [60 + seconds, "healthy"],
];
const FLAPPING: Phases = Array.from({ length: 8 }, (_, turn) => [60 + 20 * turn, turn % 2 === 0 ? "fails" : "healthy"]);

/** Four requests a second by twenty payers. Without a breaker, a provider that fails for 170 s would get some 680 of them. */
const OUTAGES: readonly Row[] = [
  { name: "fails for 8 s", providers: [during("fails", 8)], most: { secondsToClose: 10, askedDead: 60 } },
  {
    name: "fails for 170 s",
    providers: [during("fails", 170)],
    most: { secondsToOpen: 12, secondsToClose: 10, askedDead: 100 },
  },
  { name: "hangs for 25 s", providers: [during("hangs", 25)], most: { secondsToOpen: 26, secondsToClose: 14 } },
  {
    name: "hangs for 170 s",
    providers: [during("hangs", 170)],
    most: { secondsToOpen: 27, secondsToClose: 14, askedDead: 150 },
  },
  { name: "fails every other 20 s", providers: [FLAPPING], most: { secondsToClose: 10, askedDead: 160 } },
  { name: "responds ten times as slowly", providers: [during("slow", 120)], most: { failed: 0, secondsToClose: 0 } },
  { name: "fails half of its calls", providers: [during("half", 120)], most: { secondsToClose: 10 } },
  { name: "asks to be left alone for 20 s", providers: [during("limited", 60)], most: { secondsToClose: 0 } },
  {
    name: "fails, and there is another",
    providers: [during("fails", 170), []],
    most: { failed: 0, askedDead: 60, secondsToClose: 0 },
  },
  {
    name: "hangs, and there is another",
    providers: [during("hangs", 170), []],
    most: { secondsToOpen: 27, askedDead: 130, secondsToClose: 0 },
  },
  {
    name: "fails like the other, which recovers first",
    providers: [during("fails", 170), during("fails", 100)],
    most: { secondsToOpen: 12, askedDead: 120 },
  },
];

test.each(OUTAGES)("a provider that $name is left soon and used again within seconds", (row) => {
  const { name, providers, most } = row;
  const runs = Array.from({ length: RUNS }, (_, run) => simulateOutage({ name, providers }, String(run)));
  const worst = (of: keyof Bound): number => Math.max(...runs.map((report) => report[of] ?? 0));
  const mean = (of: keyof OutageReport): string =>
    (runs.reduce((sum, report) => sum + Number(report[of] ?? 0), 0) / RUNS).toFixed(1);
  console.log(
    `${name}: after ${mean("secondsToOpen")} s left (worst ${worst("secondsToOpen").toFixed(1)}), asked in vain ${mean("askedDead")}, ` +
      `rejected though healthy ${mean("rejectedHealthy")}, used again after ${mean("secondsToClose")} s (worst ${worst("secondsToClose").toFixed(1)})`,
  );

  expect(Object.entries(most).filter(([of, bound]) => worst(of as keyof Bound) > bound)).toEqual([]);
  expect(runs.every(({ requests }) => requests > 2_000)).toBe(true);
});
