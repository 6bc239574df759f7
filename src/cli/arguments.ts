import { InvalidArgumentError } from "commander";
import { REGION } from "../core/catalogue/region.ts";
import { CREDITS_EXPECTED, creditsOf } from "../core/money/read-credits.ts";

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError("It must be a whole number of at least 1.");
  return value;
}

export const countUpTo =
  (most: number) =>
  (text: string): number => {
    const value = positiveInteger(text);
    if (value > most) throw new InvalidArgumentError(`It must be at most ${most}.`);
    return value;
  };

/** Tokens may be grouped for the eye: 1_000_000. */
export function tokenCount(text: string): number {
  const digits = text.replaceAll("_", "");
  const value = Number(digits);
  if (!/^\d+$/.test(digits) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError("It must be a whole number of tokens, such as 1000000.");
  return value;
}

const LONGEST_SEARCH = 100;

/** What the rows of a list have to contain. */
export function searchText(text: string): string {
  if (text.length < 1 || text.length > LONGEST_SEARCH)
    throw new InvalidArgumentError(`It must have 1 to ${LONGEST_SEARCH} characters.`);
  return text;
}

const ISO_DATE = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** A day, which begins at its midnight in UTC, or a moment with its zone. The language itself takes `12` and 30 February for dates. */
export function isoDate(text: string): string {
  const [, day] = ISO_DATE.exec(text) ?? [];
  const time = Date.parse(text);
  if (day === undefined || Number.isNaN(time) || !isDay(day))
    throw new InvalidArgumentError("It must be a date such as 2027-01-31 (UTC) or 2027-01-31T18:00:00Z.");
  return new Date(time).toISOString();
}

/** A day in UTC, such as 2026-11-16. */
export function utcDay(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || !isDay(text))
    throw new InvalidArgumentError("It must be a day such as 2026-11-16.");
  return text;
}

function isDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** Credits as an operator writes them. */
export function creditAmount(text: string): bigint {
  const amount = creditsOf(text);
  if (amount === null) throw new InvalidArgumentError(CREDITS_EXPECTED.replace("Input should", "It must").concat("."));
  return amount;
}

/** Where a server is, up to and without the path of an operation. */
export function httpUrl(text: string): string {
  const { protocol } = URL.parse(text) ?? {};
  if (protocol !== "http:" && protocol !== "https:")
    throw new InvalidArgumentError("It must be a URL such as http://127.0.0.1:9100.");
  return text.replace(/\/$/, "");
}

/** A value, or a word that takes the value away. */
export const orWord =
  <Word extends string, Value>(word: Word, read: (text: string) => Value) =>
  (text: string): Word | Value =>
    text === word ? word : read(text);

export const REGIONS_HELP = "regions of routes that its requests may run in, such as eu,ch";

/** A word on a route that says where it runs. */
export function regionName(text: string): string {
  if (REGION.test(text)) return text;
  throw new InvalidArgumentError(REGION_WORDS);
}

/** Regions with commas between them; `all` is anywhere. */
export const regionNames = (text: string): string[] | null =>
  text === "all" ? null : text.split(",").map((name) => regionName(name.trim()));

const REGION_WORDS =
  "A region is a word such as eu or us-east-1: lower-case letters, digits, - and _, 40 at most, and not any, all or none.";

export const TIERS_HELP = "service tiers it may ask for beside the usual one, such as flex,priority";

/** Tiers with commas between them; `all` are those that are sold, `none` leaves the usual one. */
export function tierNames(text: string): string[] | null {
  if (text === "all") return null;
  if (text === "none") return [];
  const names = text.split(",").map((name) => name.trim());
  if (names.some((name) => !/^[a-z0-9][a-z0-9_-]{0,39}$/.test(name)))
    throw new InvalidArgumentError("It must be `all`, `none`, or names with commas, such as flex,priority.");
  return names;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 366 * 86_400_000;

/** A length of time such as 0, 90s, 15m, 24h or 7d, in milliseconds. */
export function durationMs(text: string): number {
  const [, digits = "", unit = ""] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? [];
  const ms = digits === "" ? Number.NaN : Number(digits) * (unit === "" ? 0 : (UNIT_MS[unit] ?? Number.NaN));
  // A number without a unit has no meaning, but nothing is nothing in every unit.
  if (Number.isNaN(ms) || (unit === "" && Number(digits) !== 0) || ms > LONGEST_MS)
    throw new InvalidArgumentError("It must be a length of time such as 0, 90s, 15m, 24h or 7d, at most 366d.");
  return ms;
}

const PREFIX_CHARACTERS = 12;

/**
 * How a key is named: by its id or its prefix, also as it was printed, with the dots behind it. Of a whole secret only the
 * prefix is taken, so that it goes no further.
 */
export function keyName(text: string): string {
  const name = text.replace(/(…|\.\.\.)$/, "");
  if (name === "") throw new InvalidArgumentError("It must be the id or the prefix of a key.");
  return /^tg[act]_/.test(name) ? name.slice(0, PREFIX_CHARACTERS) : name;
}

/** Names from the root down, or an id. */
export function accountName(text: string): string {
  const names = text.split("/").map((name) => name.trim());
  if (names.some((name) => name === ""))
    throw new InvalidArgumentError("It must be an id or the names from the root down, such as Acme/Search.");
  return names.join("/");
}
