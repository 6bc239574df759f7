/**
 * Writes the price list that the package ships, from LiteLLM's `model_prices_and_context_window.json`:
 *
 *     scripts/with-node node scripts/write-price-list.ts FILE DATE
 *
 * DATE is the day of the list, as 2026-08-01; of a list that names only its month, the first. Models that an import leaves out
 * whatever its options, and fields that it does not read, are not written. Look at the difference before you commit it.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPriceList } from "../src/config/price-list/read-price-list.ts";
import { skippedByReason } from "../src/core/catalogue/price-list.ts";

type Entry = Record<string, unknown>;
/** A number as it was written: no price is rounded on its way. */
type Exact = JSON & { rawJSON: (text: string) => unknown };

const FOLDER = join(import.meta.dirname, "../prices");
const ORIGIN = "https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json";
const LICENSE = "MIT, Copyright (c) 2023 Berri AI; see LICENSE-LITELLM";
const READ =
  /^(litellm_provider|mode|web_search_billing_unit|max_(input|output)_tokens|supports_reasoning|tiered_pricing|provider_specific_entry|regional_processing_uplift_multiplier_\w+)$|cost/;
const ONE = { digits: 1n, exponent: 0 };

const [file, date] = process.argv.slice(2);
if (file === undefined || date === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(date))
  throw new Error("usage: scripts/write-price-list.ts FILE DATE");

const text = readFileSync(file, "utf8");
const keep = (_: string, value: unknown, { source }: { source?: string }): unknown =>
  typeof value === "number" ? (JSON as Exact).rawJSON(source ?? String(value)) : value;
const entries = JSON.parse(text, keep as Parameters<typeof JSON.parse>[1]) as Record<string, Entry>;
const { models, skipped, refused } = readPriceList(text, file, {
  vendor: "*",
  match: "*",
  exchange: { markup: ONE, creditUsd: ONE },
  carry: { free: true, dearest: true },
});
const lines = models.map(({ id }) => `${JSON.stringify(id)}:${JSON.stringify(shortened(entries[id] ?? {}))}`);
const list = `{\n${lines.join(",\n")}\n}\n`;
const leftOut = Object.fromEntries(skippedByReason(skipped).map(({ reason, ids }) => [reason, ids.length]));
const source = {
  origin: ORIGIN,
  license: LICENSE,
  date,
  origin_sha256: digestOf(text),
  sha256: digestOf(list),
  models: models.length,
  left_out: { ...leftOut, refused: refused.length },
};
writeFileSync(join(FOLDER, "litellm.json"), list);
writeFileSync(join(FOLDER, "litellm.source.json"), `${JSON.stringify(source, null, 2)}\n`);
console.log(`prices/litellm.json: ${models.length} models of ${Object.keys(entries).length}, ${list.length} bytes`);

function shortened(entry: Entry): Entry {
  const kept = Object.entries(entry).filter(([field, value]) => READ.test(field) && value !== null && value !== false);
  // The older field counts only where one of the newer is missing.
  const needsOlder = ["max_input_tokens", "max_output_tokens"].some((field) => (entry[field] ?? null) === null);
  return { ...Object.fromEntries(kept), ...(needsOlder && { max_tokens: entry["max_tokens"] }) };
}

function digestOf(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}
