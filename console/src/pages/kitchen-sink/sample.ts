import type { Buckets, Series } from "../../charts/series.ts";
import { HOUR_MS } from "../../format/time.ts";

/** Numbers that look like traffic and are the same every time. */
export function createSample(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

export const SAMPLE_NOW_MS = Date.UTC(2026, 10, 16, 12);

export const sampleBuckets = (count: number, stepMs = HOUR_MS): Buckets => ({
  startsMs: Array.from({ length: count }, (_start, index) => SAMPLE_NOW_MS - (count - index) * stepMs),
  stepMs,
});

const MODELS = [
  "acme-large",
  "acme-small",
  "northwind-70b-instruct-2026-10-preview",
  "claude-sonnet",
  "gemini-flash",
  "mistral-medium",
  "deepseek-chat",
  "qwen-max",
  "llama-guard",
  "command-r",
  "phi-mini",
];

export function sampleSeries(count: number, buckets: number, scale: number): Series[] {
  return MODELS.slice(0, count).map((name, place) => {
    const next = createSample(place + 7);
    const values = Array.from({ length: buckets }, (_bucket, index) => {
      const day = 0.55 + 0.45 * Math.sin(((index + 3) / 24) * 2 * Math.PI);
      return BigInt(Math.round((scale * day * (0.6 + next() * 0.8)) / (place + 1.4)));
    });
    return { id: name, name, values };
  });
}
