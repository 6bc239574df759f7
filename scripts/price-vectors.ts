/**
 * Charges what providers have billed: each vector has a price, the usage that its provider sent, and the amount. Read, priced and charged
 * by the code that charges requests. Ends with 1 where an amount differs, and names what a price cannot say yet.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isObject } from "../src/core/bytes/is-object.ts";
import { formatCredits, parseCredits } from "../src/core/money/money.ts";
import { chargeOf } from "../src/core/money/pay-rate.ts";
import { isPeak } from "../src/core/money/rate-rows.ts";
import type { Tariff } from "../src/core/money/price.ts";
import type { SaidServed, Usage } from "../src/core/money/usage.ts";
import { tariff } from "../src/wire/catalogue/price.ts";
import { readEmbeddingsUsage } from "../src/wire/embeddings/embeddings-usage.ts";
import { chatUsageOf } from "../src/wire/chat/chat-usage.ts";
import { readConverseUsage } from "../src/wire/converse/converse-usage.ts";
import { readGeminiUsage, searchesIn } from "../src/wire/gemini/gemini-usage.ts";
import { readMessagesUsage } from "../src/wire/messages/messages-usage.ts";
import { tierSaid } from "../src/wire/usage/said-served.ts";
import { readResponsesUsage } from "../src/wire/responses/responses-usage.ts";

type Vector = {
  name: string;
  model?: string;
  format: string;
  prices: Record<string, unknown>;
  usage: Record<string, unknown>;
  /** What is known beside the answer: what was asked for, where it was served, and its headers. */
  facts?: {
    asked?: string;
    region?: string;
    headers?: Record<string, string>;
    at?: string;
    /** What no answer reports, counted by us. */
    container_minutes?: number;
    /** What its provider bills: each query, or each prompt that led to any. */
    search_unit?: "query" | "prompt";
  } | null;
  /** Of other models that took part in the answer. */
  other_prices?: Record<string, unknown>;
  expected: string;
  arithmetic: string;
};

const HELP = `Charges vectors of a file, a JSON array of { name, format, prices, usage, expected, arithmetic }.

Usage: npm run price-vectors -- [FILE] [--json]

Without FILE: those in scripts/money/price-vectors.json, of usages that providers sent and prices that they publish.

  --json  print the verdicts as data
  --help  show this

Ends with 1 if an amount differs from what was billed. A price that cannot be written here is named, and is no difference. Neither is the
work of another model within an answer, which is charged as the model that was asked for (decision 0054), if that is the whole difference.`;

/** By the format of the answer: where its usage stands, and what reads it. */
const READERS: Record<string, (answer: Record<string, unknown>, model: string) => Usage | null> = {
  chat: (answer) => chatUsageOf(answer),
  responses: (answer) => readResponsesUsage(answer),
  embeddings: ({ usage }) => readEmbeddingsUsage(usage),
  messages: ({ usage }) => readMessagesUsage(usage),
  converse: (answer, model) => readConverseUsage(answer, { model, streamed: false }),
  gemini: ({ usageMetadata, usage, candidates }) => {
    const [first] = Array.isArray(candidates) ? (candidates as unknown[]) : [];
    return readGeminiUsage(usageMetadata ?? usage, isObject(first) ? searchesIn(first) : 0);
  },
};

type Verdict = { name: string; verdict: "right" | "wrong" | "not sold" | "by decision"; says: string };

function judge(vector: Vector): Verdict {
  const { name, model = "", format, prices, usage, facts, expected, arithmetic } = vector;
  const read = READERS[format];
  if (read === undefined) return { name, verdict: "not sold", says: `answers in the format ${format} are not read` };
  const price = tariff.safeDecode(withNames(prices, facts?.search_unit));
  if (!price.success) return { name, verdict: "not sold", says: reasonOf(price.error.issues) };
  const counted = read(usage, model);
  if (counted === null) return { name, verdict: "wrong", says: "its usage is not understood" };
  const served = servedOf(counted, facts ?? {});
  const minutes = facts?.container_minutes;
  const toolCalls = minutes === undefined ? counted.toolCalls : { ...counted.toolCalls, container_1g_minute: minutes };
  const asked = tierSaid(facts?.asked) ?? served.tier;
  const peak = facts?.at !== undefined && isPeak(price.data, Date.parse(facts.at));
  const charge = chargeOf(price.data, { ...counted, toolCalls, served }, asked, peak);
  const billed = parseCredits(expected);
  if (charge === billed) return { name, verdict: "right", says: formatCredits(charge) };
  const says = `${formatCredits(charge)} for ${expected}: ${arithmetic}`;
  const isDecided = billed !== null && billed - charge === ofOtherModels(vector, price.data);
  return isDecided
    ? { name, verdict: "by decision", says: `charged as the model that was asked for, ${says}` }
    : { name, verdict: "wrong", says };
}

/** How much more the passes of other models come to at their own prices than at that of the model that was asked for; null where one is not known. */
function ofOtherModels({ usage: { usage }, other_prices: others = {} }: Vector, asked: Tariff): bigint | null {
  const passes: unknown = isObject(usage) ? usage["iterations"] : null;
  if (!Array.isArray(passes)) return null;
  let more = 0n;
  for (const pass of passes as unknown[]) {
    if (!isObject(pass) || typeof pass["model"] !== "string" || others[pass["model"]] === undefined) continue;
    const [own, counted] = [tariff.safeDecode(others[pass["model"]]), readMessagesUsage(pass)];
    if (!own.success || counted === null) return null;
    more += chargeOf(own.data, counted) - chargeOf(asked, counted);
  }
  return more;
}

/** Where nothing else is said, an answer was served as it was asked for. */
function servedOf({ served = {} }: Usage, { region, headers = {} }: NonNullable<Vector["facts"]>): SaidServed {
  const tier = served.tier ?? tierSaid(headers["x-gemini-service-tier"]);
  return { ...served, ...(tier === undefined ? {} : { tier }), ...(region === undefined ? {} : { region }) };
}

/** The vectors call it `reasoning`, as their reference does, and `peak` the hours of the one provider that has any. */
const withNames = ({ reasoning, when, ...prices }: Record<string, unknown>, unit: string = "query") => ({
  ...prices,
  ...(unit === "prompt" && isObject(prices["tools"])
    ? { tools: { grounded_prompt: prices["tools"]["web_search"] } }
    : {}),
  ...(reasoning === undefined ? {} : { output_reasoning: reasoning }),
  ...(Array.isArray(when) ? { when: when.map((line) => (isObject(line) ? withHours(line) : (line as unknown))) } : {}),
});

const withHours = ({ peak, ...line }: Record<string, unknown>) => (peak === true ? { ...line, hours: BUSY } : line);
const BUSY = "mon-fri 01:00-04:00 06:00-10:00";

const reasonOf = (issues: readonly { path: PropertyKey[]; keys?: string[]; message: string }[]): string =>
  [...new Set(issues.map(({ path, keys, message }) => `${keys?.join(", ") ?? path.join(".")}: ${message}`))].join("; ");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, help: { type: "boolean" } },
});
const [path = join(import.meta.dirname, "money/price-vectors.json")] = positionals;
if (values.help === true) console.log(HELP);
else {
  const parsed: unknown = JSON.parse(readFileSync(path, "utf8"));
  const vectors = (Array.isArray(parsed) ? parsed : []).filter((row): row is Vector => isObject(row));
  const verdicts = vectors.map(judge);
  const count = (wanted: Verdict["verdict"]): number => verdicts.filter(({ verdict }) => verdict === wanted).length;
  if (values.json === true) console.log(JSON.stringify(verdicts, null, 2));
  else {
    for (const { name, verdict, says } of verdicts) console.log(`${verdict.padEnd(11)} ${name}: ${says}`);
    console.log(
      `\n${count("right")} of ${verdicts.length} right, ${count("wrong")} wrong, ${count("by decision")} by decision, ${count("not sold")} not sold`,
    );
  }
  if (count("wrong") > 0 || verdicts.length === 0) process.exitCode = 1;
}
