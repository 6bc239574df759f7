import { exactCredits, groupDigits, shortCount, shortCredits, showCredits } from "./money.ts";
import { exactDuration, showDuration } from "./time.ts";

/** How a quantity is written. All quantities are bigint: charts turn them into numbers only to place a mark. */
export type Unit = {
  /** As it stands behind a number or above a column. */
  name: string;
  /** On an axis. */
  short: (value: bigint) => string;
  /** In a column, a readout or a figure. */
  show: (value: bigint) => string;
  /** On hover: every digit. */
  exact: (value: bigint) => string;
  /** In a file: no separators. */
  plain: (value: bigint) => string;
};

const countUnit = (name: string): Unit => ({
  name,
  short: shortCount,
  show: groupDigits,
  exact: groupDigits,
  plain: String,
});

/** In billionths of a credit. */
export const CREDITS: Unit = {
  name: "credits",
  short: shortCredits,
  show: showCredits,
  exact: exactCredits,
  plain: (value) => exactCredits(value).replaceAll(",", ""),
};

export const TOKENS = countUnit("tokens");
export const REQUESTS = countUnit("requests");

/** In microseconds. */
export const DURATION: Unit = {
  name: "ms",
  short: showDuration,
  show: showDuration,
  exact: exactDuration,
  plain: (value) => (Number(value) / 1000).toString(),
};

/** In hundredths of a percent. */
export const PERCENT: Unit = {
  name: "%",
  short: (value) => `${groupDigits(value / 100n)} %`,
  show: (value) => `${decimals(value)} %`,
  exact: (value) => `${decimals(value)} %`,
  plain: decimals,
};

function decimals(value: bigint): string {
  const size = value < 0n ? -value : value;
  const fraction = (size % 100n).toString().padStart(2, "0").replace(/0$/, "");
  return `${value < 0n ? "-" : ""}${groupDigits(size / 100n)}${fraction === "0" ? "" : `.${fraction}`}`;
}
