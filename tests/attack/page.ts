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
    `${whole(rows.length)} attempts by a client with a valid key, or by a person who signed in, to get tokens below their price, to make a provider do what Tollgate does not allow, or to`,
    `make another tenant's requests fail or wait. ${whole(held)} of them fail; ${held === rows.length ? "none succeeds" : `${rows.length - held} succeed and are listed at the end`}. Every figure on this page was measured by`,
    runs === 1
      ? "one run of `npm run attack`."
      : `\`npm run attack\`, in ${whole(runs)} runs, each of some of the attempts.`,
    "",
    "![Share of its price that each attempt was charged](attacks.svg)",
    "",
    ...reading(),
    "## Tokens below their price",
    "",
    "| Attempt | Tokens produced | Price at list | Charged | Largest gain | Neighbour p99 | Result |",
    "|---|--:|--:|--:|--:|--:|---|",
    ...of("price").map(priceRow),
    "",
    "## Requests that must not reach the provider",
    "",
    "| Attempt | Requests | Rejected | Reached the provider | Neighbour p99 | Result |",
    "|---|--:|--:|--:|--:|---|",
    ...of("smuggle").map(smuggleRow),
    "",
    "A request that was not rejected was answered without the field: the gateway dropped it, replaced it or did not forward it.",
    "",
    "## Other tenants' requests",
    "",
    "| Attempt | What it did | Neighbour p50 | Neighbour p99 | Slowest | Rejected | Longest stretch | Result |",
    "|---|---|--:|--:|--:|--:|--:|---|",
    ...of("lockout").map(lockoutRow),
    "",
    "For p50 and p99, the first figure is without the attack and the second with it.",
    "",
    ...caps(of("price")),
    ...failures(rows),
    ...(unmeasured.length === 0
      ? []
      : ["## Not measured yet", "", `These attempts exist but have no figures yet: ${unmeasured.join("; ")}.`, ""]),
  ].join("\n");
}

function reading(): string[] {
  return [
    "## How to read this page",
    "",
    `- Real processes: two \`tollgate serve\`, one PostgreSQL, a provider and a neighbour, each in its own process on loopback, on ${availableParallelism()} cores`,
    `  (${cpus()[0]?.model.trim() ?? "unknown"}). Times depend on what else that machine does.`,
    "- The provider behaves like real ones: it repeats the request in its events, reasons invisibly, reports usage at the end, oddly or never,",
    "  writes its text in odd places, fails after content, ignores limits, and accepts any field. It records every token it produces until it is stopped.",
    `- **Price at list** is what those tokens cost: ${PRICE.input} credit per million of input, ${PRICE.output} of output. **Charged** is read from the ledger's tables, not from`,
    "  what clients are shown. Both are sums over all lanes: the three formats directly, the three translated, and the three with a token budget, which is",
    "  converted at the list price of the same requests.",
    `- **Largest gain** is the gain of the worst lane. An attempt fails when no lane gains more than ${ALLOWED_PERCENT} % of its own price, or when the gain stops at a cap per`,
    `  payer and hour. In these runs the caps are ${WRITE_OFF_CAP} credits and ${whole(WRITE_OFF_CAP_TOKENS)} tokens, low enough to be reached.`,
    "- A **payer** is a key, or a person with all of their sessions, browsers and personal keys. Attempts by a person are charged to one purse.",
    "- Tokens that a provider produced but had not sent when it was stopped are part of the price. They are the gain that remains when a client disconnects.",
    `- **Neighbour** is another key that asks for 20 words ${PER_SECOND} times a second throughout. None of its requests may be rejected, and its p99 must not be more than ${NEIGHBOUR_RATIO} times`,
    "  its p99 over the same time without the attack.",
    `- **Longest stretch** is the longest time that the gateway's main thread was busy without serving another request, in processor time: at most ${LONGEST_STRETCH_MS} ms. **Slowest** is`,
    "  the neighbour's longest wait in real time.",
    "",
  ];
}

const cell = (row: Row): string => `**${row.name}**: ${row.tries}`;

const resultOf = (row: Row): string => {
  if (!row.held) return "**succeeds**";
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
    "## Limited by a cap",
    "",
    "These costs cannot be charged, so a cap per payer and hour limits them instead:",
    "",
    ...[...reasons].map(([reason, capped]) => `- ${reason}: ${capped.map(({ name }) => name).join("; ")}.`),
    "",
  ];
}

function failures(rows: readonly Row[]): string[] {
  const failing = rows.filter((row) => !row.held);
  if (failing.length === 0) return [];
  return [
    "## Attempts that succeed",
    "",
    ...failing.map(
      (row) => `- **${row.name}**: ${row.known === "" ? "" : `${row.known} `}${row.failing.slice(0, 3).join("; ")}.`,
    ),
    "",
  ];
}
