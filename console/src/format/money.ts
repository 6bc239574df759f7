/**
 * Amounts are bigint in billionths of a credit. The API writes them as decimal strings, and no float stands between the two.
 */
const NANO_DIGITS = 9;
const ONE = 10n ** BigInt(NANO_DIGITS);
const DECIMAL = /^(-?)(\d+)(?:\.(\d{1,9})\d*)?$/;

/** "0.25" → 250000000n. */
export function readCredits(text: string): bigint {
  const [, sign, whole, fraction = ""] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) throw new TypeError(`not an amount: ${text}`);
  const nano = BigInt(whole) * ONE + BigInt(fraction.padEnd(NANO_DIGITS, "0"));
  return sign === "-" ? -nano : nano;
}

/** All digits that matter and at least two decimals: 0.25, 0.000041, 1,204.50. */
export function exactCredits(nano: bigint): string {
  const { sign, whole, fraction } = split(nano);
  return `${sign}${groupDigits(whole)}.${fraction.replace(/0+$/, "").padEnd(2, "0")}`;
}

/** For columns and figures: two decimals; below one credit, enough of them for three digits that matter. */
export function showCredits(nano: bigint): string {
  const size = nano < 0n ? -nano : nano;
  if (size === 0n || size >= ONE) return rounded(nano, 2);
  const zeros = NANO_DIGITS - size.toString().length;
  return rounded(nano, Math.min(NANO_DIGITS, Math.max(2, zeros + 3))).replace(/(\.\d\d\d*?)0+$/, "$1");
}

/** For axes and tight places: 0.25, 940, 1.2k, 35M. */
export function shortCredits(nano: bigint): string {
  const size = nano < 0n ? -nano : nano;
  return size < 1000n * ONE ? showCredits(nano).replace(/\.00$/, "") : shortCount(nano / ONE);
}

/** 12345 → 12,345. */
export const groupDigits = (digits: bigint | number | string): string =>
  String(digits).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ",");

const STEPS: readonly [bigint, string][] = [
  [1_000_000_000_000n, "T"],
  [1_000_000_000n, "G"],
  [1_000_000n, "M"],
  [1_000n, "k"],
];

/** Three digits and a letter: 999, 1.24k, 35.1M. */
export function shortCount(count: bigint): string {
  const size = count < 0n ? -count : count;
  const step = STEPS.find(([from]) => size >= from);
  if (step === undefined) return count.toString();
  const [from, letter] = step;
  const whole = (size / from).toString();
  const decimals = Math.max(0, 3 - whole.length);
  const scaled = (size * 10n ** BigInt(decimals)) / from;
  const digits = scaled.toString().padStart(decimals + 1, "0");
  const text =
    decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, "");
  return `${count < 0n ? "-" : ""}${text}${letter}`;
}

function rounded(nano: bigint, decimals: number): string {
  const cut = 10n ** BigInt(NANO_DIGITS - decimals);
  const size = nano < 0n ? -nano : nano;
  const { whole, fraction } = split(((size + cut / 2n) / cut) * cut);
  return `${nano < 0n ? "-" : ""}${groupDigits(whole)}.${fraction.slice(0, decimals)}`;
}

function split(nano: bigint): { sign: string; whole: string; fraction: string } {
  const size = nano < 0n ? -nano : nano;
  return {
    sign: nano < 0n ? "-" : "",
    whole: (size / ONE).toString(),
    fraction: (size % ONE).toString().padStart(NANO_DIGITS, "0"),
  };
}
