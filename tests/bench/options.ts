import { parseArgs } from "node:util";

export const PHASES = [
  "plain",
  "stream",
  "chain",
  "lone",
  "half",
  "garbage",
  "first-byte",
  "burst",
  "responses",
  "messages",
  "translated",
  "memory",
  "held",
] as const;
export type Phase = (typeof PHASES)[number];

/** A gateway of others: one that the bench can install, or one that a command starts. */
export type PeerChoice = { name: string; command: string | null };

export type BenchOptions = {
  slices: number;
  sliceMs: number;
  warmupMs: number;
  loneMs: number;
  halfMs: number;
  connections: number;
  burstStreams: number;
  heldStreams: number;
  /** Of the phase `held`, and for how long. */
  manyStreams: number;
  heldMs: number;
  phases: ReadonlySet<Phase>;
  load: "compiled" | "typescript";
  jsonFile: string | null;
  svgFile: string | null;
  /** Where the picture of the tail goes; null: nothing is noted that could explain it. */
  tailFile: string | null;
  /** Tollgate's entry file; null: the built one when there is one, else the source. */
  mainFile: string | null;
  /** Flags of Node instead of the checkout's own. */
  flags: readonly string[] | null;
  /** Another checkout of Tollgate, measured beside this one. */
  beforeFolder: string | null;
  against: readonly PeerChoice[];
  profileFolder: string | null;
  tollgate: "measured" | "left out";
  thresholds: "asserted" | "shown";
};

export const HELP = `Usage: npm run bench -- [options]

Starts a provider, a bare Node proxy and Tollgate, and compares them in short slices, one after the other in each round.
The gateway under test has core 0 for itself; the load generator, the provider and PostgreSQL share core 1. Every gateway is
warmed up until its processor time per request is flat. A slice counts when the gateway used at least 90 % of its core and no
answer failed; otherwise it is marked INVALID and left out. Progress goes to standard error, tables to standard output.

  --only LIST          phases to run: ${PHASES.join(",")}
  --slices N           slices per gateway and phase (15); of lone requests, garbage, bursts and memory a fifth
  --seconds S          length of a slice (1)
  --connections N      at the highest rate (64); doubled for all, up to 256, while the core of a gateway is idle at times
  --burst N            streams opened within a second on a fresh process (2000)
  --held N             streams held open for a minute (10000), fewer where a process may not have two files for each
  --short              three slices, 2 s of each low rate, at most 5 s of warm-up, 200 streams in bursts, 500 held for 5 s
  --before DIR         measure another checkout of Tollgate in the same slices
  --against LIST       measure other gateways in the same slices: portkey, litellm (installed into a cache), or
                       NAME=COMMAND, which must serve chat completions of $PROVIDER_URL on 127.0.0.1:$PORT; may be repeated
  --load KIND          compiled or typescript (compiled where cc is there)
  --json FILE          write every figure and every slice as JSON
  --svg FILE           write a chart
  --tail FILE          write a picture of what slow requests spent their time on at half load; needs the phase half
  --main FILE          measure this entry file of Tollgate (dist/main.js, or src/main.ts when nothing is built)
  --flags "FLAGS"      start Tollgate with these flags of Node (those in its bin/serve-flags.js); with
                       --before DIR, the other checkout keeps its own
  --without-tollgate   measure the others only
  --profile FOLDER     run Tollgate with --cpu-prof and leave the profiles there
  --assert             exit 1 when a goal that was measured is missed (the table of goals shows them all), or, with --before,
                       when anything is below 0.97 of the other checkout
  --help               this text

Exit codes: 0 measured; 1 something could not be measured, or a demand of --assert is not met; 2 wrong options.
`;

/** Returns `help` when help was asked for; throws, with a message for the terminal, on options it does not know. */
export function parseOptions(words: readonly string[]): BenchOptions | "help" {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: "string" },
      slices: { type: "string" },
      seconds: { type: "string" },
      connections: { type: "string" },
      burst: { type: "string" },
      held: { type: "string" },
      flags: { type: "string" },
      short: { type: "boolean" },
      before: { type: "string" },
      against: { type: "string", multiple: true },
      load: { type: "string" },
      json: { type: "string" },
      svg: { type: "string" },
      tail: { type: "string" },
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
    slices: whole("--slices", values.slices ?? (short ? "3" : "15")),
    sliceMs: positive("--seconds", values.seconds ?? "1") * 1000,
    connections: whole("--connections", values.connections ?? "64"),
    warmupMs: short ? 5_000 : 30_000,
    loneMs: short ? 2_000 : 5_000,
    halfMs: 2_000,
    burstStreams: whole("--burst", values.burst ?? (short ? "200" : "2000"), 100_000),
    heldStreams: short ? 200 : 1000,
    manyStreams: whole("--held", values.held ?? (short ? "500" : "10000"), 100_000),
    heldMs: short ? 5_000 : 60_000,
    phases: phasesOf(values.only),
    load: loadOf(values.load ?? "compiled"),
    jsonFile: values.json ?? null,
    svgFile: values.svg ?? null,
    tailFile: values.tail ?? null,
    mainFile: values.main ?? null,
    flags: values.flags?.split(/\s+/).filter((word) => word !== "") ?? null,
    beforeFolder: values.before ?? null,
    against: (values.against ?? []).flatMap(peersOf),
    profileFolder: values.profile ?? null,
    tollgate: values["without-tollgate"] === true ? "left out" : "measured",
    thresholds: values.assert === true ? "asserted" : "shown",
  };
}

function whole(name: string, text: string, most = 1000): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`${name} takes a whole number from 1 to ${most}`);
  return value;
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value >= 0.1 && value <= 600)) throw new Error(`${name} takes a number from 0.1 to 600`);
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

function loadOf(word: string): BenchOptions["load"] {
  if (word === "compiled" || word === "typescript") return word;
  throw new Error(`--load knows compiled and typescript; not ${word}`);
}

/** A command may contain commas, so what names one is taken whole. */
function peersOf(word: string): PeerChoice[] {
  const [name = "", ...rest] = word.split("=");
  if (rest.length > 0) return [{ name, command: rest.join("=") }];
  return word.split(",").map((each) => ({ name: each, command: null }));
}
