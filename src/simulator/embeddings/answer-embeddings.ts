import { createHash } from "node:crypto";
import type { Ask } from "../dialect.ts";
import type { Script } from "../plan/script.ts";
import { reportUsage } from "../plan/usage-report.ts";
import { type Input, inputsIn, tokensOf } from "./read-embeddings.ts";

const USUAL_DIMENSIONS = 256;

/** One vector for each input, the same whenever it is asked again. */
export function answerEmbeddings(ask: Ask, script: Script): Buffer {
  const { dimensions = USUAL_DIMENSIONS, encoding_format: encoding } = ask.body;
  const inputs = inputsIn(ask.body);
  const isText = encoding === "base64" && script.vectors !== "floats";
  const data = inputs.map((input, index) => {
    const vector = vectorOf(input, Number(dimensions));
    const embedding = isText ? Buffer.from(vector.buffer).toString("base64") : [...vector];
    return { object: "embedding", ...(script.vectors === "unindexed" ? {} : { index }), embedding };
  });
  if (script.vectors === "short") data.pop();
  if (script.vectors === "turned") data.reverse();
  const promptTokens = script.inputTokens ?? inputs.reduce((sum, input) => sum + tokensOf(input), 0);
  const usage = reportUsage(script.usage, { ...NOTHING_ELSE, promptTokens, inputTokens: promptTokens });
  const body = JSON.stringify({
    object: "list",
    data,
    model: ask.model,
    ...(usage === null ? {} : { usage: { prompt_tokens: usage.inputTokens, total_tokens: usage.totalTokens } }),
  });
  return Buffer.from(body.padEnd(script.answerBytes ?? 0));
}

const NOTHING_ELSE = { searches: 0, pages: 0, outputTokens: 0, cachedTokens: 0, thoughtTokens: 0, billedTicks: null };

const SPREAD = 1_664_525;
const STEP = 1_013_904_223;

/** Numbers that look like any, of length 1. */
export function vectorOf(input: Input, dimensions: number): Float32Array {
  let state = createHash("sha256").update(JSON.stringify(input)).digest().readUInt32LE();
  const vector = Float32Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, SPREAD) + STEP) >>> 0;
    return state / 2 ** 31 - 1;
  });
  const length = Math.hypot(...vector);
  return vector.map((number) => number / length);
}
