import { markdownTable } from "../../tests/bench/table.ts";
import type { Cause, TimeSpent } from "../../tests/support/time-spent.ts";

type Sum = { wallMs: number; processorMs: number; waitedMs: number };
type SuiteSum = Sum & { suite: string; files: number; assertions: number };
/** The processor time of a cause is null where none was read: a sleep takes none, and a command's belongs to its file. */
type CauseSum = { cause: string; count: number; wallMs: number; processorMs: number | null };
type FileSum = Sum & { suite: string; file: string };

/** The run as a whole: by the wall, and all its processes, with those that load the tests and compile them. */
export type WholeRun = { wallMs: number; processorMs: number; tests: number; titles: number };

export type Times = {
  run: WholeRun & { files: number; assertions: number };
  suites: SuiteSum[];
  causes: CauseSum[];
  busiest: FileSum[];
  longestWaits: FileSum[];
};

const SHOWN = 15;
const CAUSES: Readonly<Record<Cause, string>> = {
  gateway: "starts of gateways",
  PostgreSQL: "starts of PostgreSQL",
  browser: "starts of browsers",
  command: "commands",
  sleep: "sleeping",
};

export function sumTimes(spent: readonly TimeSpent[], run: WholeRun): Times {
  const files = spent.map(({ project, file, wallMs, processorMs }) => ({
    suite: project,
    file,
    wallMs,
    processorMs,
    waitedMs: Math.max(0, wallMs - processorMs),
  }));
  const suites = Map.groupBy(spent, ({ project }) => project)
    .entries()
    .toArray()
    .map(([suite, those]) => ({
      suite,
      files: those.length,
      assertions: sum(those, ({ assertions }) => assertions),
      ...sumOf(files.filter((file) => file.suite === suite)),
    }));
  return {
    run: { ...run, files: files.length, assertions: sum(spent, ({ assertions }) => assertions) },
    suites,
    causes: causesOf(spent),
    busiest: files.toSorted((a, b) => b.processorMs - a.processorMs).slice(0, SHOWN),
    longestWaits: files.toSorted((a, b) => b.waitedMs - a.waitedMs).slice(0, SHOWN),
  };
}

/** What no cause explains is work. Causes of one file may be under way at once, so the rest is a little too small. */
function causesOf(spent: readonly TimeSpent[]): CauseSum[] {
  const causes = (Object.keys(CAUSES) as Cause[]).map((cause) => {
    const shares = spent.flatMap(({ causes: those }) => those[cause] ?? []);
    const processorMs = sum(shares, (share) => share.processorMs);
    return {
      cause: CAUSES[cause],
      count: sum(shares, ({ count }) => count),
      wallMs: sum(shares, ({ wallMs }) => wallMs),
      processorMs: processorMs === 0 ? null : processorMs,
    };
  });
  const rest = {
    cause: "work",
    count: spent.length,
    wallMs: Math.max(0, sum(spent, ({ wallMs }) => wallMs) - sum(causes, ({ wallMs }) => wallMs)),
    processorMs: Math.max(
      0,
      sum(spent, ({ processorMs }) => processorMs) - sum(causes, ({ processorMs }) => processorMs ?? 0),
    ),
  };
  return [...causes, rest];
}

/** The same text for the screen and for a page. A run of few files needs no list of its files. */
export function tellTimes({ run, suites, causes, busiest, longestWaits }: Times): string {
  const inFiles = sumOf(suites);
  const totals =
    `${whole(run.tests)} tests with ${whole(run.titles)} titles and ${whole(run.assertions)} assertions, in ${whole(run.files)} files. ` +
    `The run took ${seconds(run.wallMs)} s, and ${seconds(run.processorMs)} s of processor time.`;
  const bySuite = [
    ["suite", "files", "assertions", "wall s", "processor s", "waited s"],
    ...suites.map(({ suite, files, assertions, ...took }) => [suite, whole(files), whole(assertions), ...cells(took)]),
    ["all", whole(run.files), whole(run.assertions), ...cells(inFiles)],
  ];
  const byCause = [
    ["cause", "count", "wall s", "processor s"],
    ...causes.map(({ cause, count, wallMs, processorMs }) => [
      cause,
      whole(count),
      seconds(wallMs),
      processorMs === null ? "–" : seconds(processorMs),
    ]),
  ];
  const parts = [totals, markdownTable(bySuite), markdownTable(byCause)];
  if (run.files > SHOWN) {
    parts.push(filesTable("most processor time", busiest), filesTable("longest waits", longestWaits));
  }
  return parts.join("\n\n");
}

const NAMED = 8;

/** For the closing lines of a run of many files: those that took most processor time. */
export function tellBusiest(spent: readonly TimeSpent[]): string[] {
  if (spent.length <= SHOWN) return [];
  const busiest = spent.toSorted((a, b) => b.processorMs - a.processorMs).slice(0, NAMED);
  return [
    "most processor time, in seconds:",
    ...busiest.map(({ file, project, processorMs }) => `  ${seconds(processorMs).padStart(6)}  ${file} (${project})`),
  ];
}

function filesTable(title: string, files: readonly FileSum[]): string {
  const rows = files.map(({ file, suite, ...took }) => [file, suite, ...cells(took)]);
  return markdownTable([[title, "suite", "wall s", "processor s", "waited s"], ...rows]);
}

const BEGIN = "<!-- times -->";
const END = "<!-- /times -->";

/** A page with this part between its marks. */
export function withTimes(page: string, part: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`the page has no place between ${BEGIN} and ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${part}\n\n${page.slice(end)}`;
}

/** A run that was killed may have left half a line. */
export function readTimes(text: string): TimeSpent[] {
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as TimeSpent];
    } catch {
      return [];
    }
  });
}

function sumOf(parts: readonly Sum[]): Sum {
  return {
    wallMs: sum(parts, ({ wallMs }) => wallMs),
    processorMs: sum(parts, ({ processorMs }) => processorMs),
    waitedMs: sum(parts, ({ waitedMs }) => waitedMs),
  };
}

const cells = ({ wallMs, processorMs, waitedMs }: Sum): string[] => [wallMs, processorMs, waitedMs].map(seconds);
const whole = (value: number): string => value.toLocaleString("en-US");
const seconds = (ms: number): string =>
  (ms / 1_000).toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
