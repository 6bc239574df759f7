import type { AccountJson } from "../../wire/admin/funds.ts";
import type { KeyJson } from "../../wire/admin/keys.ts";
import type { UsageReportJson } from "../../wire/admin/usage.ts";
import { accountFacts, keyName } from "./key-text.ts";
import { PLAIN, type Screen, stateTone, type Tone } from "./screen.ts";
import { facts, table } from "./table.ts";

type Total = UsageReportJson["days"][number] | UsageReportJson["models"][number];

const BAR_WIDTH = 24;
const NARROW_BAR = 10;
/** Columns of a terminal on which the full bar leaves room for a model's name. */
const FULL_WIDTH = 100;
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/** The summary of a key, then a bar per day and per model. */
export function usageText(
  usage: { key: KeyJson; account: AccountJson } & Pick<UsageReportJson, "days" | "models">,
  screen: Screen = PLAIN,
): string {
  const { key, account, days, models } = usage;
  const known = [["mode", key.mode], ["status", key.status], ...accountFacts(account)] as const;
  const summary = facts(keyName(key), known, screen);
  const unit = account.unit === "credit" ? ">CREDITS" : ">TOKENS";
  const byDay = chart(
    ["=DAY (UTC)", unit],
    days.map((total) => [total.day, total]),
    screen,
  );
  if (models.length === 0) return `${summary}\n\n${byDay}\n\nNo usage in this period.`;
  return `${summary}\n\n${byDay}\n\n${chart(
    ["MODEL", unit],
    models.map((total) => [total.model, total]),
    screen,
  )}`;
}

function chart([name, unit]: [string, string], rows: [string, Total][], screen: Screen): string {
  const most = Math.max(...rows.map(([, { cost }]) => Number(cost)));
  const width = screen.columns !== null && screen.columns < FULL_WIDTH ? NARROW_BAR : BAR_WIDTH;
  return table(
    [name, unit, "?", ">REQUESTS", ">CUT OFF", ">INPUT TOKENS", ">OUTPUT TOKENS"],
    rows.map(([label, total]) => [
      label,
      total.cost,
      barOf(Number(total.cost), most, width),
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
