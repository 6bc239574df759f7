import { byWord, countsOf, TARIFF_PARTS } from "../../../core/money/price.ts";
import { REQUEST_STEPS } from "../../../core/request/request-facts.ts";
import type { RequestDetailJson, RequestRowJson } from "../../../contract/requests.ts";
import { moreText } from "../../page-options.ts";
import { grouped, printable } from "../cell.ts";
import { PLAIN, type Screen, type Tone } from "../screen.ts";
import { facts, table } from "../table.ts";

type Both = { credits: string | null; tokens: string | null };
type Listing = { data: readonly RequestRowJson[]; next: string | null };

export function requestTable({ data, next }: Listing, screen: Screen = PLAIN): string {
  if (data.length === 0) return `No such request was found.${moreText(next)}`;
  const rows = data.map((row) => [
    row.at.slice(0, 19).replace("T", " "),
    row.request_id,
    row.key_prefix ?? "-",
    row.account_path.join("/") || "-",
    printable(row.model ?? row.model_asked ?? "-"),
    row.provider ?? "-",
    String(row.status),
    `${row.code}${row.times > 1 ? ` × ${grouped(row.times)}` : ""}`,
    String(row.input_tokens),
    String(row.output_tokens),
    amountText(row.charged),
    String(row.took_ms),
  ]);
  const titles = [
    "AT (UTC)",
    "=REQUEST",
    "KEY",
    "?ACCOUNT",
    "MODEL",
    "?PROVIDER",
    ">STATUS",
    "CODE",
    ">INPUT",
    ">OUTPUT",
    ">CHARGED",
    ">MS",
  ];
  return `${table(titles, rows, { screen, tone: statusTone })}${moreText(next)}`;
}

function statusTone(cell: string, title: string): Tone | null {
  if (title !== "STATUS") return cell === "-" ? "secondary" : null;
  return cell >= "500" ? "bad" : cell >= "400" ? "caution" : "good";
}

function amountText(amount: Both | null): string {
  if (amount === null) return "-";
  return amount.credits ?? (amount.tokens === null ? "-" : `${amount.tokens} tokens`);
}

/** One request: who and what, its steps as a waterfall, its attempts, and how its charge came about. */
export function requestText(request: RequestDetailJson, screen: Screen = PLAIN): string {
  const title = `${request.request_id}  ${request.status} ${request.code}`;
  const parts = [
    facts(title, headOf(request), screen),
    waterfall(request, screen),
    attemptsText(request, screen),
    moneyText(request, screen),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function headOf(request: RequestDetailJson): [string, string][] {
  const account = request.account_path.join("/");
  const model = printable(request.model ?? request.model_asked ?? "-");
  const rows: [string, string | null][] = [
    ["at", request.at],
    ["key", `${request.key_prefix ?? request.key_id ?? "none"}${account === "" ? "" : ` of ${printable(account)}`}`],
    ["model", request.provider === null ? model : `${model} at ${request.provider}`],
    ["route", `${request.route}${request.streamed ? ", streamed" : ""}${request.replay ? ", replayed" : ""}`],
    [
      "client",
      request.client && printable(request.agent === null ? request.client : `${request.agent} (${request.client})`),
    ],
    ["region", request.region],
    ["trace", request.trace_id],
    ["rejected with", request.refusal && printable(request.refusal)],
    ["stands for", request.times > 1 ? `${grouped(request.times)} requests` : null],
    ["fields not sent", request.dropped_fields.length === 0 ? null : request.dropped_fields.map(printable).join(", ")],
    ["tokens", tokensText(request)],
  ];
  return rows.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]]));
}

function tokensText({
  input_tokens: input,
  cached_tokens: cached,
  output_tokens: output,
  reasoning_tokens: thought,
}: RequestDetailJson): string {
  const read = cached > 0 ? ` (${grouped(cached)} cached)` : "";
  return `${grouped(input)} in${read}, ${grouped(output)} out${thought > 0 ? ` (${grouped(thought)} reasoning)` : ""}`;
}

const STEP_WORDS: Record<(typeof REQUEST_STEPS)[number], string> = {
  authenticated: "key identified",
  read: "body read",
  checked: "request checked",
  admitted: "cost reserved",
  dispatched: "provider asked",
  first_byte: "first byte",
  last_byte: "last byte",
  settled: "charge committed",
  closed: "response sent",
};
const BAR_COLUMNS = 40;

/** A bar for each step, from where the one before ended, on one scale. */
function waterfall({ steps }: RequestDetailJson, screen: Screen): string {
  const whole = Math.max(steps.closed, 0.001);
  let before = 0;
  const lines = REQUEST_STEPS.flatMap((step) => {
    const at = steps[step];
    if (at === null) return [];
    const from = Math.min(BAR_COLUMNS - 1, Math.floor((before / whole) * BAR_COLUMNS));
    const length = Math.max(1, Math.round((at / whole) * BAR_COLUMNS) - from);
    const bar = `${" ".repeat(from)}${screen.paint("bar", "█".repeat(length))}${" ".repeat(Math.max(0, BAR_COLUMNS - from - length))}`;
    const took = at - before;
    before = at;
    return [
      `  ${STEP_WORDS[step].padEnd(16)}  ${bar}  ${millis(at).padStart(12)}  ${screen.paint("secondary", `+${millis(took)}`)}`,
    ];
  });
  return [screen.paint("heading", "Steps"), ...lines].join("\n");
}

const millis = (ms: number): string => `${grouped(ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0))} ms`;

function attemptsText({ attempts }: RequestDetailJson, screen: Screen): string {
  if (attempts === null || attempts.length < 2) return "";
  const lines = attempts.map(({ provider, region, began_ms: began, ended_ms: ended, status, failure }, no) => {
    const end = failure === null ? screen.paint("good", "succeeded") : screen.paint("bad", failure);
    return `  ${no + 1}. ${provider}${region === null ? "" : ` in ${region}`} after ${millis(began)}: ${end}${status === null ? "" : ` (${status})`} in ${millis(ended - began)}`;
  });
  return [screen.paint("heading", "Attempts"), ...lines].join("\n");
}

type Money = NonNullable<RequestDetailJson["money"]>;
type Work = NonNullable<Money["credits"]>;

const LINE_WORDS: Readonly<Record<string, string>> = byWord(TARIFF_PARTS, countsOf);

const GAP_WORDS: Record<NonNullable<Work["gap"]>, string> = {
  provider_failed: "The provider failed, so the request is free.",
  voided: "The charge could not be confirmed in time, so it was voided.",
  estimated: "The counts are estimates, which cost at most what was reserved.",
  absorbed: "It cost more than was reserved; the operator absorbs the rest.",
  no_price: "The price of this version is not known any more.",
};

function moneyText({ money }: RequestDetailJson, screen: Screen): string {
  if (money === null) return "";
  const version = money.price_version === null ? "" : ` at price version ${money.price_version}`;
  const counted = money.estimated ? ", with counts of the gateway" : "";
  const works = [
    [money.credits, "credits"],
    [money.tokens, "tokens"],
  ] as const;
  return [
    screen.paint("heading", `Charge${version}${counted}`),
    ...works.flatMap(([work, unit]) => (work === null ? [] : workLines(work, unit))),
    "",
    screen.paint("heading", "Ledger"),
    ...ledgerLines(money),
  ].join("\n");
}

function workLines({ lines, sum, charged, gap }: Work, unit: "credits" | "tokens"): string[] {
  const rows = lines.map(({ what, count, unit_price: price, amount }): [string, string] => {
    const each = what.startsWith("tools.") ? `${price} a call` : `${price} per million`;
    const words = `${grouped(count)} ${LINE_WORDS[what] ?? `calls of ${what.slice(6)}`}`;
    return [unit === "tokens" ? words : `${words} × ${each}`, amount];
  });
  const ends: [string, string][] = [
    ...(sum === null ? [] : [["sum, rounded once", sum] as [string, string]]),
    ["charged", charged],
  ];
  const width = Math.max(...[...rows, ...ends].map(([words]) => words.length));
  const point = (amount: string): number => (amount.includes(".") ? amount.indexOf(".") : amount.length);
  const whole = Math.max(...[...rows, ...ends].map(([, amount]) => point(amount)));
  const line = ([words, amount]: [string, string]): string =>
    `  ${words.padEnd(width)}  ${" ".repeat(whole - point(amount))}${amount}`;
  const rule = `  ${"─".repeat(width + whole + 12)}`;
  return [
    ...rows.map(line),
    rule,
    ...ends.map((end) => `${line(end)} ${unit}`),
    ...(gap === null ? [] : [`  ${GAP_WORDS[gap]}`]),
  ];
}

const ENTRY_WORDS: Record<Money["entries"][number]["kind"], string> = {
  hold: "reserved",
  release: "reservation released",
  charge: "charged",
  refund: "refunded",
  void: "voided",
  given_back: "released from quarantine",
  absorbed: "absorbed by the operator",
};

const ledgerLines = ({ entries }: Money): string[] =>
  entries.map(({ at, kind, credits, tokens, reference, actor }) => {
    const amount = credits ?? (tokens === null ? "" : `${tokens} tokens`);
    const more = [reference, actor].flatMap((word) => (word === null ? [] : [printable(word)])).join(", ");
    return `  ${at.slice(11, 23)}  ${ENTRY_WORDS[kind].padEnd(24)}  ${amount}${more === "" ? "" : `  ${more}`}`.trimEnd();
  });
