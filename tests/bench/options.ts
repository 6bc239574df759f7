import { parseArgs } from "node:util";

export const PHASES = [
  "plain",
  "latency",
  "stream",
  "first-byte",
  "responses",
  "messages",
  "translated",
  "memory",
] as const;
export type Phase = (typeof PHASES)[number];

export type BenchOptions = {
  rounds: number;
  durationMs: number;
  warmupMs: number;
  heldStreams: number;
  phases: ReadonlySet<Phase>;
  jsonFile: string | null;
  svgFile: string | null;
  /** Tollgate's entry file; null: the built one when there is one, else the source. */
  mainFile: string | null;
  profileFolder: string | null;
  tollgate: "measured" | "left out";
  thresholds: "asserted" | "shown";
};

export const HELP = `Usage: npm run bench -- [options]

Starts the provider simulator, a bare Node proxy and Tollgate, and compares the two proxies in alternating rounds.
The proxy under test has core 0 for itself; the load generator, the provider and PostgreSQL share core 1.

  --only LIST          phases to run: ${PHASES.join(",")}
  --rounds N           rounds per proxy and phase (5)
  --seconds S          length of a round (5)
  --short              one round of two seconds, 200 held streams
  --json FILE          write every figure and every round as JSON
  --svg FILE           write a chart
  --main FILE          measure this entry file of Tollgate (dist/main.js, or src/main.ts when nothing is built)
  --without-tollgate   measure the bare proxy only
  --profile FOLDER     run Tollgate with --cpu-prof and leave the profiles there
  --assert             exit 1 when plain is below 0.40 or stream below 0.85 of the bare proxy, or a translated stream
                       below 0.50 of one that is relayed
  --help               this text
`;

/** Returns `help` when help was asked for; throws, with a message for the terminal, on options it does not know. */
export function parseOptions(words: readonly string[]): BenchOptions | "help" {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      short: { type: "boolean" },
      json: { type: "string" },
      svg: { type: "string" },
      main: { type: "string" },
      "without-tollgate": { type: "boolean" },
      profile: { type: "string" },
      assert: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true) return "help";
  const short = values.short === true;
  return {
    rounds: positive("--rounds", values.rounds ?? (short ? "1" : "5")),
    durationMs: positive("--seconds", values.seconds ?? (short ? "2" : "5")) * 1000,
    warmupMs: short ? 500 : 1000,
    heldStreams: short ? 200 : 1000,
    phases: phasesOf(values.only),
    jsonFile: values.json ?? null,
    svgFile: values.svg ?? null,
    mainFile: values.main ?? null,
    profileFolder: values.profile ?? null,
    tollgate: values["without-tollgate"] === true ? "left out" : "measured",
    thresholds: values.assert === true ? "asserted" : "shown",
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1000)
    throw new Error(`${name} takes a whole number from 1 to 1000`);
  return value;
}

function phasesOf(list: string | undefined): ReadonlySet<Phase> {
  if (list === undefined) return new Set(PHASES);
  const phases = list.split(",").map((word) => {
    const phase = PHASES.find((known) => known === word);
    if (phase === undefined) throw new Error(`--only knows ${PHASES.join(", ")}; not ${word}`);
    return phase;
  });
  return new Set(phases);
}
