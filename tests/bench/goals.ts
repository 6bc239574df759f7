import { LONE_CHAT } from "./measure-chain.ts";
import { BARE, TOLLGATE } from "./subject.ts";

/** A figure of a sheet and what it must be. */
export type Goal = {
  title: string;
  sheet: string;
  subject: string;
  column: string;
  /** The figure itself, or how good it is as a share of this subject's. */
  of: "itself" | typeof BARE | typeof LONE_CHAT;
  sense: "at least" | "at most";
  limit: number;
  unit: string;
  /** What it means for a person. */
  meaning: string;
};

const own = { subject: TOLLGATE, of: "itself", sense: "at most" } as const;
const share = { of: BARE, sense: "at least", unit: "", subject: TOLLGATE } as const;

const CHAINED: Record<string, string> = {
  chain: "A key below a team of an organisation costs hardly more than one that is alone.",
  responses: "Clients of the Responses API get the speed of chat completions.",
  messages: "Clients of the Messages API get the speed of chat completions.",
};

/** In the order of the phases. Translated streams have goals of their own. */
export const GOALS: readonly Goal[] = [
  {
    ...share,
    title: "plain requests, rate",
    sheet: "plain",
    column: "rate",
    limit: 0.4,
    meaning: "A core with money in the path serves this share of what a core serves that only passes bytes on.",
  },
  {
    ...share,
    title: "plain requests, processor time",
    sheet: "plain",
    column: "cpu",
    limit: 0.42,
    meaning: "The same, by what a request costs: 0.50 means that you pay for twice the cores of a bare proxy.",
  },
  {
    ...own,
    title: "plain requests, PostgreSQL",
    sheet: "plain",
    column: "database",
    limit: 70,
    unit: "µs",
    meaning: "One core of PostgreSQL carries a million divided by this many requests per second.",
  },
  ...(["rate", "cpu"] as const).map((column) => ({
    ...share,
    title: `streams, ${column === "rate" ? "rate" : "processor time"}`,
    sheet: "stream",
    column,
    limit: 0.85,
    meaning: "Reading along with a stream, to charge what was delivered, costs little more than passing it on.",
  })),
  ...Object.entries(CHAINED).flatMap(([subject, meaning]) =>
    (["rate", "cpu"] as const).map((column): Goal => ({
      title: `${subject}, ${column === "rate" ? "rate" : "processor time"}`,
      sheet: "chain",
      subject,
      column,
      of: LONE_CHAT,
      sense: "at least",
      limit: 0.88,
      unit: "",
      meaning,
    })),
  ),
  ...[20, 200, 1_000].flatMap((rate): Goal[] => [
    {
      ...own,
      title: `lone request at ${rate.toLocaleString("en")}/s, added p50`,
      sheet: `lone-${rate}`,
      column: "addedP50",
      limit: 1,
      unit: "ms",
      meaning: "Nobody who waits for a model notices this much.",
    },
    {
      ...own,
      title: `lone request at ${rate.toLocaleString("en")}/s, PostgreSQL`,
      sheet: `lone-${rate}`,
      column: "database",
      limit: 800,
      unit: "µs",
      meaning: "A quiet gateway leaves its database quiet.",
    },
  ]),
  {
    ...own,
    title: "half load, added p50",
    sheet: "half",
    column: "addedP50",
    limit: 2.5,
    unit: "ms",
    meaning: "On an ordinary day, half of all requests are delayed by less than this.",
  },
  {
    ...own,
    title: "half load, added p99",
    sheet: "half",
    column: "addedP99",
    limit: 12,
    unit: "ms",
    meaning: "On an ordinary day, one request in a hundred is delayed by more than this.",
  },
  {
    ...own,
    title: "allocated per request",
    sheet: "garbage",
    column: "allocated",
    limit: 25,
    unit: "KB",
    meaning: "Less garbage means fewer pauses of the whole process.",
  },
  {
    ...own,
    title: "promoted per request",
    sheet: "garbage",
    column: "promoted",
    limit: 1,
    unit: "KB",
    meaning: "What is promoted ends in the long pauses, and in memory that grows.",
  },
  {
    ...own,
    title: "burst, until all streams are open",
    sheet: "burst",
    column: "opened",
    limit: 2_500,
    unit: "ms",
    meaning: "After a restart under load, everybody gets an answer within this time.",
  },
  {
    ...own,
    title: "burst, refused",
    sheet: "burst",
    column: "refused",
    limit: 0,
    unit: "streams",
    meaning: "Nobody is turned away by a gateway that has just started.",
  },
  {
    ...own,
    title: "open streams in one process",
    sheet: "held",
    column: "open",
    sense: "at least",
    limit: 10_000,
    unit: "streams",
    meaning: "So many people can read a stream each from one process.",
  },
  {
    ...own,
    title: "open streams, refused or lost in a minute",
    sheet: "held",
    column: "lost",
    limit: 0,
    unit: "streams",
    meaning: "None of them sees an error.",
  },
];
