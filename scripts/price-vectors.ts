/**
 * Charges what providers have billed: each vector has a price, the usage that its provider sent, and the amount. Read, priced and charged
 * by the code that charges requests. Ends with 1 where an amount differs, and names what a price cannot say yet.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isObject } from "../src/core/bytes/is-object.ts";
import { formatCredits, parseCredits } from "../src/core/money/money.ts";
import { chargeOf } from "../src/core/money/pay-rate.ts";
import type { Usage } from "../src/core/money/usage.ts";
import { tariff } from "../src/wire/catalogue/price.ts";
import { readChatUsage } from "../src/wire/chat/chat-usage.ts";
import { readGeminiUsage } from "../src/wire/gemini/gemini-usage.ts";
import { readMessagesUsage } from "../src/wire/messages/messages-usage.ts";
import { readResponsesUsage } from "../src/wire/responses/responses-usage.ts";

type Vector = {
  name: string;
  format: string;
  prices: Record<string, unknown>;
  usage: Record<string, unknown>;
  expected: string;
  arithmetic: string;
};

const HELP = `Charges vectors of a file, a JSON array of { name, format, prices, usage, expected, arithmetic }.

Usage: npm run price-vectors -- FILE [--json]

  --json  print the verdicts as data
  --help  show this

Ends with 1 if an amount differs from what was billed. A price that cannot be written here is named, and is no difference.`;

/** By the format of the answer: where its usage stands, and what reads it. */
const READERS: Record<string, (answer: Record<string, unknown>) => Usage | null> = {
  chat: ({ usage }) => readChatUsage(usage),
  responses: (answer) => readResponsesUsage(answer),
  messages: ({ usage }) => readMessagesUsage(usage),
  gemini: (answer) => readGeminiUsage(answer["usageMetadata"] ?? answer["usage"]),
};

type Verdict = { name: string; verdict: "right" | "wrong" | "not sold"; says: string };

function judge({ name, format, prices, usage, expected, arithmetic }: Vector): Verdict {
  const read = READERS[format];
  if (read === undefined) return { name, verdict: "not sold", says: `answers in the format ${format} are not read` };
  const price = tariff.safeDecode(withNames(prices));
  if (!price.success) return { name, verdict: "not sold", says: reasonOf(price.error.issues) };
  const counted = read(usage);
  if (counted === null) return { name, verdict: "wrong", says: "its usage is not understood" };
  const charge = chargeOf(price.data, counted);
  return charge === parseCredits(expected)
    ? { name, verdict: "right", says: formatCredits(charge) }
    : { name, verdict: "wrong", says: `${formatCredits(charge)} for ${expected}: ${arithmetic}` };
}

/** The vectors call it `reasoning`, as their reference does. */
const withNames = ({ reasoning, ...prices }: Record<string, unknown>) =>
  reasoning === undefined ? prices : { ...prices, output_reasoning: reasoning };

const reasonOf = (issues: readonly { path: PropertyKey[]; keys?: string[]; message: string }[]): string =>
  [...new Set(issues.map(({ path, keys, message }) => `${keys?.join(", ") ?? path.join(".")}: ${message}`))].join("; ");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, help: { type: "boolean" } },
});
const [path] = positionals;
if (values.help === true) console.log(HELP);
else if (path === undefined) {
  console.error(`Name a file of vectors.\n\n${HELP}`);
  process.exitCode = 2;
} else {
  const parsed: unknown = JSON.parse(readFileSync(path, "utf8"));
  const vectors = (Array.isArray(parsed) ? parsed : []).filter((row): row is Vector => isObject(row));
  const verdicts = vectors.map(judge);
  const count = (wanted: Verdict["verdict"]): number => verdicts.filter(({ verdict }) => verdict === wanted).length;
  if (values.json === true) console.log(JSON.stringify(verdicts, null, 2));
  else {
    for (const { name, verdict, says } of verdicts) console.log(`${verdict.padEnd(8)} ${name}: ${says}`);
    console.log(
      `\n${count("right")} of ${verdicts.length} right, ${count("wrong")} wrong, ${count("not sold")} not sold`,
    );
  }
  if (count("wrong") > 0 || verdicts.length === 0) process.exitCode = 1;
}
