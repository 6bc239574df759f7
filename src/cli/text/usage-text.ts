import { styleText } from "node:util";
import type { AccountJson } from "../../wire/admin/funds.ts";
import type { KeyJson } from "../../wire/admin/keys.ts";
import type { UsageReportJson } from "../../wire/admin/usage.ts";
import { accountFacts, keyName } from "./key-text.ts";
import { facts, table } from "./print.ts";

type Total = UsageReportJson["days"][number] | UsageReportJson["models"][number];

const BAR_WIDTH = 24;
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/** The summary of a key, then a bar per day and per model. */
export function usageText(
  usage: { key: KeyJson; account: AccountJson } & Pick<UsageReportJson, "days" | "models">,
): string {
  const { key, account, days, models } = usage;
  const summary = facts(keyName(key), [["mode", key.mode], ["status", key.status], ...accountFacts(account)]);
  const unit = account.unit === "credit" ? ">CREDITS" : ">TOKENS";
  const byDay = chart(
    ["DAY (UTC)", unit],
    days.map((total) => [total.day, total]),
  );
  if (models.length === 0) return `${summary}\n\n${byDay}\n\nnothing was used in these days`;
  return `${summary}\n\n${byDay}\n\n${chart(
    ["MODEL", unit],
    models.map((total) => [total.model, total]),
  )}`;
}

function chart([name, unit]: [string, string], rows: [string, Total][]): string {
  const most = Math.max(...rows.map(([, { cost }]) => Number(cost)));
  return table(
    [name, unit, "", ">REQUESTS", ">CUT OFF", ">TOKENS IN", ">TOKENS OUT"],
    rows.map(([label, total]) => [
      label,
      total.cost,
      barOf(Number(total.cost), most),
      String(total.requests),
      String(total.cut_off),
      String(total.input_tokens),
      String(total.output_tokens),
    ]),
    // Colour is added after the columns are measured; `styleText` leaves it out where nobody could see it.
    { style: (cell, column) => (column === 2 ? styleText("cyan", cell, { stream: process.stdout }) : cell) },
  );
}

/** A bar in eighths of a character. Something is never shown as nothing. */
function barOf(value: number, most: number): string {
  if (value <= 0 || most <= 0) return "";
  const eighths = Math.max(1, Math.round((value / most) * BAR_WIDTH * EIGHTHS.length));
  return "█".repeat(Math.floor(eighths / EIGHTHS.length)) + (EIGHTHS[eighths % EIGHTHS.length] ?? "");
}
