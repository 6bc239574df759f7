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
  ["a file", [{ type: "file", file: { file_data: `data:application/pdf;base64,${photograph}` } }]],
  ["messages", [{ type: "image", source: { type: "base64", media_type: "image/png", data: photograph } }]],
])("a photograph of 400 kB in the form of %s counts as a picture and not as its letters", (_format, content) => {
  const { likely, most } = estimateInput(body(content));

  expect(likely).toBeGreaterThan(1_500);
  expect(likely).toBeLessThan(12_000);
  expect(most).toBeGreaterThan(likely);
  expect(most).toBeLessThan(80_000);
});

test("a photograph counts as one however its sender spaces and escapes", () => {
  const content = [{ type: "image_url", image_url: { url: `data:image/png;base64,${photograph}` } }];
  const spaced = body(content).toString().replace('"url":', '"url"\t:\r\n ');
  const escaped = body(content)
    .toString()
    .replaceAll("/", String.raw`\/`);

  expect(estimateInput(Buffer.from(spaced)).likely).toBeLessThan(12_000);
  expect(estimateInput(Buffer.from(escaped)).likely).toBeLessThan(12_000);
});

test("the same letters in a prompt are text", () => {
  expect(estimateInput(body(photograph)).likely).toBeGreaterThan(100_000);
  expect(estimateInput(body(JSON.stringify({ data: photograph }))).likely).toBeGreaterThan(100_000);
});

test.each<[string, unknown]>([
  ["within it", `<img src='data:image/png;base64,${photograph}'>`],
  ["as the whole of it", [{ type: "text", text: `data:image/png;base64,${photograph}` }]],
  ["in the quoted arguments of a call", JSON.stringify({ url: `data:image/png;base64,${photograph}` })],
])("a picture's address in a prompt, %s, is text, and money is set aside for it as such", (_where, content) => {
  expect(estimateInput(body(content)).likely).toBeGreaterThan(100_000);
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

test.each(['"data":"a",', "x;base64,", '"url":"data:a;base64,'])(
  "32 MiB of %s are looked through in bounded time",
  (mark) => {
    const startedMs = performance.now();
    estimateInput(Buffer.from(mark.repeat(Math.floor((32 * 1_048_576) / mark.length))));

    expect(performance.now() - startedMs).toBeLessThan(6_000);
  },
);
