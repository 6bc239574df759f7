import type { KeyFundsJson } from "../../../contract/funds.ts";
import type { KeyJson } from "../../../contract/keys.ts";
import type { UsageReportJson, UsageTotalJson } from "../../../contract/usage.ts";
import { csv } from "../../../wire/csv.ts";
import { fundsFacts, keyName } from "../keys/key-text.ts";
import { PLAIN, type Screen, stateTone, type Tone } from "../screen.ts";
import { facts, table } from "../table.ts";

type Total = UsageTotalJson;

const BAR_WIDTH = 24;
const NARROW_BAR = 10;
/** Columns of a terminal on which the full bar leaves room for a model's name. */
const FULL_WIDTH = 100;
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

type Known = { key: KeyJson; funds: KeyFundsJson };

/** The summary of a key, if it is one's, then a bar per day and per group. */
export function usageText(report: UsageReportJson, screen: Screen = PLAIN, known: Known | null = null): string {
  const { days, groups, by } = report;
  const summary = known === null ? whoseOf(report) : keyFacts(known, screen);
  const unit = known === null ? unitOf(days) : known.funds.unit === "credit" ? "credits" : "tokens";
  const byDay = chart(
    ["=DAY (UTC)", unit],
    days.map((total) => [total.day, total]),
    screen,
  );
  if (groups.length === 0) return `${summary}\n\n${byDay}\n\nNo usage in this period.`;
  return `${summary}\n\n${byDay}\n\n${chart(
    [by.toUpperCase(), unit],
    groups.map((total) => [total.name || "-", total]),
    screen,
  )}${report.more_groups === 0 ? "" : `\n\n${report.more_groups} more are not listed. Days include them. For the rest ask for an account below.`}`;
}

/** One row per group; amounts are exact. */
export const usageCsv = ({ by, groups }: UsageReportJson): string =>
  csv([
    [by, "id", "credits", "tokens", "requests", "cut_off", "input_tokens", "output_tokens"],
    ...groups.map((total) => [
      total.name,
      total.id,
      total.credits,
      total.tokens,
      total.requests,
      total.cut_off,
      total.input_tokens,
      total.output_tokens,
    ]),
  ]);

const keyFacts = ({ key, funds }: Known, screen: Screen): string =>
  facts(keyName(key), [["mode", key.mode], ["status", key.status], ...fundsFacts(funds)] as const, screen);

const whoseOf = ({ account }: UsageReportJson): string =>
  account === null ? "Usage of all keys" : `Usage of all keys below ${account.title}`;

/** Of many keys: tokens only where nothing costs credits. */
const unitOf = (days: readonly Total[]): "credits" | "tokens" =>
  days.every(({ credits }) => credits === "0") && days.some(({ tokens }) => tokens !== "0") ? "tokens" : "credits";

function chart([name, unit]: [string, "credits" | "tokens"], rows: [string, Total][], screen: Screen): string {
  const most = Math.max(...rows.map(([, total]) => Number(total[unit])));
  const width = screen.columns !== null && screen.columns < FULL_WIDTH ? NARROW_BAR : BAR_WIDTH;
  return table(
    [name, `>${unit.toUpperCase()}`, "?", ">REQUESTS", ">CUT OFF", ">INPUT TOKENS", ">OUTPUT TOKENS"],
    rows.map(([label, total]) => [
      label,
      total[unit],
      barOf(Number(total[unit]), most, width),
      String(total.requests),
      String(total.cut_off),
      String(total.input_tokens),
      String(total.output_tokens),
    ]),
    { screen, tone: barTone },
  );
}

/** The column of the bars is the one without a title. */
const barTone = (cell: string, title: string): Tone | null => (title === "" ? "bar" : stateTone(cell));

/** A bar in eighths of a character. Something is never shown as nothing. */
function barOf(value: number, most: number, width: number): string {
  if (value <= 0 || most <= 0) return "";
  const eighths = Math.max(1, Math.round((value / most) * width * EIGHTHS.length));
  return "█".repeat(Math.floor(eighths / EIGHTHS.length)) + (EIGHTHS[eighths % EIGHTHS.length] ?? "");
}
