import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";

/** The price list in the package, in LiteLLM's form. `date`: the day it is of, such as 2026-08-01. */
export type ShippedList = { text: string; date: string };

const FOLDER = new URL("../../prices/", import.meta.url);
const DAY_MS = 86_400_000;

/** Prices change: an older list is not used unless somebody says so. */
export const MOST_LIST_AGE_DAYS = 45;

/** Reads the list and compares it with the digest it was shipped with. `scripts/write-price-list.ts` writes both. */
export function readShippedList(folder: URL = FOLDER): ShippedList {
  const text = readFileSync(new URL("litellm.json", folder), "utf8");
  const written = readFileSync(new URL("litellm.source.json", folder), "utf8");
  const { date, sha256 } = JSON.parse(written) as { date: string; sha256: string };
  if (createHash("sha256").update(text).digest("hex") === sha256) return { text, date };
  const message = "the file is not the one that Tollgate ships; install the package again, or name another list.";
  throw new ConfigError([{ path: null, source: "prices/litellm.json", message }], "price list");
}

/** Whole days since the day of a list; 0 where the clock is before it. */
export const listAgeDays = (date: string, nowMs: number): number =>
  Math.max(0, Math.floor((nowMs - Date.parse(date)) / DAY_MS));
