import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { estimateInput } from "./estimate-input.ts";
import { estimateTokens } from "./estimate-tokens.ts";

const photograph = randomBytes(300_000).toString("base64");
const body = (content: unknown): Buffer =>
  Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content }] }));

test("without pictures the likely count is the estimate of the text, and the most is its bytes", () => {
  const text = body("How many tokens is this?");

  expect(estimateInput(text)).toEqual({ likely: estimateTokens(text), most: text.length });
});

test.each<[string, unknown]>([
  ["chat", [{ type: "image_url", image_url: { url: `data:image/png;base64,${photograph}` } }]],
  ["responses", [{ type: "input_image", image_url: `data:image/png;base64,${photograph}` }]],
  ["messages", [{ type: "image", source: { type: "base64", media_type: "image/png", data: photograph } }]],
])("a photograph of 400 kB in the form of %s counts as a picture and not as its letters", (_format, content) => {
  const { likely, most } = estimateInput(body(content));

  expect(likely).toBeGreaterThan(1_500);
  expect(likely).toBeLessThan(12_000);
  expect(most).toBeGreaterThan(likely);
  expect(most).toBeLessThan(80_000);
});

test("the same letters in a prompt are text", () => {
  expect(estimateInput(body(photograph)).likely).toBeGreaterThan(100_000);
  expect(estimateInput(body(JSON.stringify({ data: photograph }))).likely).toBeGreaterThan(100_000);
});

test("text around and between pictures is counted", () => {
  const source = { type: "base64", media_type: "image/png", data: photograph };
  const one = estimateInput(body([{ type: "image", source }])).likely;
  const words = "word ".repeat(1_000);
  const two = estimateInput(
    body([
      { type: "text", text: words },
      { type: "image", source },
      { type: "image", source },
    ]),
  ).likely;

  expect(two - 2 * one).toBeGreaterThan(900);
});

test("32 MiB of marks are looked through in bounded time", () => {
  const startedMs = performance.now();
  estimateInput(Buffer.from('"data":"a",'.repeat(3_000_000)));

  expect(performance.now() - startedMs).toBeLessThan(6_000);
});
