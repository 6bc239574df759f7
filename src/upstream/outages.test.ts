import { expect, test } from "vitest";
import { type Conduct, type OutageReport, simulateOutage } from "../../tests/support/outage-simulation.ts";
import { cases } from "../../tests/support/cases.ts";

const RUNS = cases({ gate: 10, long: 200 });
const RUNS_OF_EIGHT = cases({ gate: 2, long: 50 });
/** For comparison. */
const RUNS_ALONE = cases({ gate: 0, long: 50 });

type Phases = readonly (readonly [fromS: number, conduct: Conduct])[];
/** At most this, in any run. */
type Bound = Partial<
  Record<"secondsToOpen" | "secondsToClose" | "askedDead" | "probes" | "failed" | "longestRefusalS", number>
>;
type Row = { name: string; providers: readonly Phases[]; most: Bound; cutOff?: boolean };

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
  show(name, runs);

  expect(beyond(most, runs)).toEqual([]);
  expect(runs.every(({ requests }) => requests > 2_000)).toBe(true);
});

const worst = (of: keyof Bound, runs: readonly OutageReport[]): number =>
  Math.max(...runs.map((report) => report[of] ?? 0));
const beyond = (most: Bound, runs: readonly OutageReport[]) =>
  Object.entries(most).filter(([of, bound]) => worst(of as keyof Bound, runs) > bound);

function show(name: string, runs: readonly OutageReport[]): void {
  const mean = (of: keyof OutageReport): string =>
    (runs.reduce((sum, report) => sum + Number(report[of] ?? 0), 0) / runs.length).toFixed(1);
  const both = (of: keyof Bound): string => `${mean(of)} (worst ${worst(of, runs).toFixed(1)})`;
  console.log(
    `${name}: left after ${both("secondsToOpen")} s, asked in vain ${both("askedDead")}, of these to find out ${both("probes")}, ` +
      `rejected though healthy ${mean("rejectedHealthy")}, used again after ${both("secondsToClose")} s, ` +
      `longest refusal ${both("longestRefusalS")} s, news ${mean("told")}`,
  );
}

/** Eight processes with four requests a second each. Alone, they try a provider that is gone for 170 s some 370 times. */
const SHARED: readonly Row[] = [
  { name: "fails for 8 s", providers: [during("fails", 8)], most: { secondsToClose: 15, probes: 6 } },
  {
    name: "fails for 170 s",
    providers: [during("fails", 170)],
    most: { secondsToOpen: 12, secondsToClose: 15, probes: 75, longestRefusalS: 30.5 },
  },
  {
    name: "hangs for 25 s",
    providers: [during("hangs", 25)],
    most: { secondsToOpen: 26, secondsToClose: 14, probes: 4 },
  },
  {
    name: "hangs for 170 s",
    providers: [during("hangs", 170)],
    most: { secondsToOpen: 27, secondsToClose: 14, probes: 65, longestRefusalS: 30.5 },
  },
  { name: "fails every other 20 s", providers: [FLAPPING], most: { secondsToClose: 15, probes: 30 } },
  { name: "responds ten times as slowly", providers: [during("slow", 120)], most: { failed: 0, secondsToClose: 0 } },
  { name: "fails half of its calls", providers: [during("half", 120)], most: { secondsToClose: 10 } },
  { name: "asks to be left alone for 20 s", providers: [during("limited", 60)], most: { secondsToClose: 0 } },
  {
    name: "fails, and there is another",
    providers: [during("fails", 170), []],
    most: { failed: 0, probes: 26, secondsToClose: 0 },
  },
  {
    name: "is out of reach for one process alone",
    providers: [during("fails", 170)],
    most: { secondsToClose: 10, askedDead: 100 },
    cutOff: true,
  },
];
const EIGHT = { processes: 8, perSecond: 32 };
const NEWS = { lost: 0, lateMs: 50 };

test.each(SHARED)(
  "eight processes that tell each other find a provider that $name",
  ({ name, providers, most, cutOff }) => {
    const outage = { name, providers, cutOff, ...EIGHT };
    const runs = Array.from({ length: RUNS_OF_EIGHT }, (_, run) =>
      simulateOutage({ ...outage, news: NEWS }, String(run)),
    );
    const alone = Array.from({ length: RUNS_ALONE }, (_, run) => simulateOutage(outage, String(run)));
    if (alone.length > 0) show(`eight, alone, ${name}`, alone);
    show(`eight, told, ${name}`, runs);

    expect(beyond(most, runs)).toEqual([]);
    // Other processes lose nothing by one that is cut off: all but its own requests are served.
    if (cutOff) expect(Math.max(...runs.map(({ failed }) => failed))).toBeLessThan(100);
  },
);

test.each([
  ["a third of the news is lost, and the rest up to three seconds late", { lost: 1 / 3, lateMs: 3_000 }],
  ["all news is lost", { lost: 1, lateMs: 0 }],
])("where %s, each process uses a provider again that is back", (_, news) => {
  const outage = { name: "fails for 170 s", providers: [during("fails", 170)], ...EIGHT };
  const runs = Array.from({ length: RUNS_OF_EIGHT }, (__, run) => simulateOutage({ ...outage, news }, String(run)));
  show(`eight, ${news.lost === 1 ? "deaf" : "hard of hearing"}, fails for 170 s`, runs);

  expect(beyond({ secondsToClose: 18, longestRefusalS: 30.5 }, runs)).toEqual([]);
});
