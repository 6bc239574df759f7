import { availableParallelism, cpus } from "node:os";
import { LONGEST_STRETCH_MS } from "../support/stretch/stretches.ts";
import { PER_SECOND } from "./neighbour-process.ts";
import { PRICE } from "./price.ts";
import type { Row } from "./row.ts";
import { WRITE_OFF_CAP, WRITE_OFF_CAP_TOKENS } from "./stage.ts";
import { credits, ms, percent, whole } from "./table.ts";
import { ALLOWED_PERCENT, NEIGHBOUR_RATIO } from "./verdict.ts";

type Measured = { unmeasured: readonly string[]; runs: number };

/** What the page of attacks says, from the figures of one run or of several. */
export function pageOf(rows: readonly Row[], { unmeasured, runs }: Measured): string {
  const of = (name: Row["class"]): Row[] => rows.filter((row) => row.class === name);
  const held = rows.filter((row) => row.held).length;
  return [
    "# Attacks",
    "",
    "For operators and contributors who ask whether a key holder can cheat.",
    "",
    "<!-- Written by `npm run attack` with --write or --from. Edit tests/attack/page.ts. -->",
    "",
    `${whole(rows.length)} attempts by a caller with a valid key to get tokens for less than they cost, to make a provider do what Tollgate refuses, or to`,
    `make another tenant's requests fail or wait. ${whole(held)} of them hold; ${held === rows.length ? "none succeeds" : `${rows.length - held} do not, and are listed at the end`}. Every figure on this page was measured by`,
    runs === 1
      ? "one run of `npm run attack`."
      : `\`npm run attack\`, in ${whole(runs)} runs of some of the attempts each.`,
    "",
    "![What each attempt was charged of its price](attacks.svg)",
    "",
    ...reading(),
    "## Tokens below their price",
    "",
    "| Attempt | Tokens produced | Price at list | Charged | Largest gain | Neighbour p99 | Result |",
    "|---|--:|--:|--:|--:|--:|---|",
    ...of("price").map(priceRow),
    "",
    "## What the provider must not be asked",
    "",
    "| Attempt | Requests | Refused | Reached the provider | Neighbour p99 | Result |",
    "|---|--:|--:|--:|--:|---|",
    ...of("smuggle").map(smuggleRow),
    "",
    "A request that is not refused was answered without the member: it was dropped, replaced or kept to ourselves.",
    "",
    "## Other tenants' requests",
    "",
    "| Attempt | What it did | Neighbour p50 | Neighbour p99 | Slowest | Refused | Longest stretch | Result |",
    "|---|---|--:|--:|--:|--:|--:|---|",
    ...of("lockout").map(lockoutRow),
    "",
    "The first figure of p50 and p99 is without the attack, the second with it.",
    "",
    ...caps(of("price")),
    ...failures(rows),
    ...(unmeasured.length === 0
      ? []
      : [
          "## Not measured yet",
          "",
          `These attempts are made and have no figures here yet: ${unmeasured.join("; ")}.`,
          "",
        ]),
  ].join("\n");
}

function reading(): string[] {
  return [
    "## How to read it",
    "",
    `- Real processes: two \`tollgate serve\`, one PostgreSQL, a provider and a neighbour, each in its own process on loopback, on ${availableParallelism()} cores`,
    `  (${cpus()[0]?.model.trim() ?? "unknown"}). Times depend on what else that machine does.`,
    "- The provider has the habits of real ones: it repeats the request in its events, reasons in secret, reports usage at the end, oddly or never,",
    "  fails after content, ignores limits, and takes any member it is sent. It writes down every token it produces, up to the moment it is stopped.",
    `- **Price at list** is what those tokens cost: ${PRICE.input} credit per million of input, ${PRICE.output} of output. **Charged** is read from the ledger's tables, not from`,
    "  what callers are shown. Both are sums over all lanes: the three formats straight, the three translated, and the three with a token budget, which is",
    "  converted at the list price of the same requests.",
    `- **Largest gain** is that of the worst lane. An attempt holds when no lane gains more than ${ALLOWED_PERCENT} % of its own price, or when what it gains ends at a cap per`,
    `  key and hour. In these runs the caps are ${WRITE_OFF_CAP} credits and ${whole(WRITE_OFF_CAP_TOKENS)} tokens, so that they are reached.`,
    "- Tokens that a provider produced and had not sent when it was told to stop are part of the price. They are the gain that remains when a caller leaves.",
    `- **Neighbour** is another key that asks for 20 words ${PER_SECOND} times a second throughout. It must not be refused, and its p99 must not be more than ${NEIGHBOUR_RATIO} times`,
    "  that of the same stretch of time without the attack.",
    `- **Longest stretch** is the most processor time that the gateway's main thread spent without letting anybody else in: at most ${LONGEST_STRETCH_MS} ms. **Slowest** is`,
    "  the neighbour's longest wait by the clock on the wall.",
    "",
  ];
}

const cell = (row: Row): string => `**${row.name}**: ${row.tries}`;

const resultOf = (row: Row): string => {
  if (!row.held) return "**does not hold**";
  return row.cap === null ? row.why : `capped by \`${row.cap.setting}\``;
};

const priceRow = (row: Row): string =>
  `| ${cell(row)} | ${whole(row.tokens)} | ${credits(row.price)} | ${credits(row.charged)} | ${percent(row.gainPercent)} | ${ms(row.neighbour.p99Ms)} | ${resultOf(row)} |`;

const smuggleRow = (row: Row): string =>
  `| ${cell(row)} | ${row.requests} | ${row.refused} | ${row.failing.length} | ${ms(row.neighbour.p99Ms)} | ${resultOf(row)} |`;

const lockoutRow = (row: Row): string => {
  const { neighbour } = row;
  const pair = (before: number, during: number): string => `${ms(before)}, ${ms(during)}`;
  return `| ${cell(row)} | ${row.did} | ${pair(neighbour.quietP50Ms, neighbour.p50Ms)} | ${pair(neighbour.quietP99Ms, neighbour.p99Ms)} | ${ms(neighbour.maxMs)} | ${neighbour.refused} | ${ms(row.stretchMs)} | ${resultOf(row)} |`;
};

/** What is bounded and not prevented, and why. */
function caps(rows: readonly Row[]): string[] {
  const reasons = Map.groupBy(
    rows.filter((row) => row.cap !== null),
    (row) => `\`${row.cap?.setting}\` because ${row.cap?.because}`,
  );
  if (reasons.size === 0) return [];
  return [
    "## Bounded by a cap",
    "",
    "These cannot be charged for, so an hour's worth of them per key is bounded instead:",
    "",
    ...[...reasons].map(([reason, capped]) => `- ${reason}: ${capped.map(({ name }) => name).join("; ")}.`),
    "",
  ];
}

function failures(rows: readonly Row[]): string[] {
  const failing = rows.filter((row) => !row.held);
  if (failing.length === 0) return [];
  return [
    "## What does not hold",
    "",
    ...failing.map(
      (row) => `- **${row.name}**: ${row.known === "" ? "" : `${row.known} `}${row.failing.slice(0, 3).join("; ")}.`,
    ),
    "",
  ];
}
