import type { LiveEndJson, LiveListJson } from "../../../contract/live.ts";
import { counted, cut, grouped, printable, widthOf } from "../cell.ts";
import { PLAIN, type Screen, type Tone } from "../screen.ts";
import { table } from "../table.ts";

type Both = { credits: string | null; tokens: string | null };

/** The requests in flight, the oldest first, and how many there are. */
export function liveListing({ data, more, processes, silent }: LiveListJson, screen: Screen = PLAIN): string {
  const shown = data.length;
  const total = shown + more;
  const quiet =
    silent === 0
      ? ""
      : ` ${counted(silent, "process")} did not report within 3 seconds.`.replace("processs", "processes");
  const summary = `${counted(total, "request")} in flight${more > 0 ? `, ${grouped(shown)} shown` : ""}; ${processes === 1 ? "1 process" : `${grouped(processes)} processes`}.${quiet}`;
  if (shown === 0) return summary;
  const rows = data.map((row) => [
    row.request_id,
    row.key_prefix,
    row.account_path.join("/") || "-",
    row.model,
    row.provider ?? "-",
    seconds(row.age_ms),
    row.output_tokens === null ? "-" : String(row.output_tokens),
    amountText(row.cost),
    amountText(row.reserved),
    row.agent ?? "-",
  ]);
  const titles = ["=request", "key", "?account", "model", "?provider", ">age", ">tokens", ">cost", ">hold", "?client"];
  return `${table(titles, rows, { screen })}\n\n${summary}`;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function amountText(amount: Both | null): string {
  if (amount === null) return "-";
  return amount.credits ?? (amount.tokens === null ? "-" : `${amount.tokens} tokens`);
}

/** One line that fits the terminal: when, how it ended, whose it was, what it cost, how long it took. */
export function endText(end: LiveEndJson, screen: Screen = PLAIN): string {
  const tone = toneOf(end);
  const tokens = `${grouped(end.input_tokens)} in, ${grouped(end.output_tokens)} out`;
  const result = end.code ?? `${tokens}, ${chargedText(end.charged)}`;
  const cells: [text: string, columns: number, tone: Tone | null][] = [
    [end.at.slice(11, 19), 8, "secondary"],
    [String(end.status), 3, tone],
    [`${grouped(end.took_ms)} ms`.padStart(9), 9, "secondary"],
    [end.key_prefix ?? "-", 12, null],
    [cut(printable(end.account_path.join("/")), 24), end.account_path.length === 0 ? 0 : 16, null],
    [cut(printable(end.model ?? "-"), 24), 12, null],
    [result, 0, end.code === null ? null : tone],
    [end.request_id, 0, "secondary"],
  ];
  let left = screen.columns ?? Number.POSITIVE_INFINITY;
  const shown = cells.flatMap(([text, columns, look]) => {
    if (text === "" && columns === 0) return [];
    const words = left > 0 ? cut(text, left) : "";
    const space = " ".repeat(Math.max(0, columns - widthOf(words)));
    left -= widthOf(words) + space.length + 2;
    return [(look === null ? words : screen.paint(look, words)) + space];
  });
  return shown.join("  ").trimEnd();
}

const chargedText = (charged: Both | null): string => {
  if (charged === null) return "free";
  return charged.credits === null
    ? `${grouped(charged.tokens ?? "0")} tokens charged`
    : `${grouped(charged.credits)} credits`;
};

const toneOf = ({ status, code }: LiveEndJson): Tone =>
  status >= 500 ? "bad" : status >= 400 || code !== null ? "caution" : "good";
