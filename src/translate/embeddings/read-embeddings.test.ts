import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sharedFolder } from "../../../tests/support/recordings.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { encodeVector } from "../../wire/embeddings/vector.ts";
import { type AskedEmbeddings, readEmbeddings, withUsage } from "./read-embeddings.ts";

const asked = (changes: Partial<AskedEmbeddings> = {}): AskedEmbeddings => ({
  inputs: 2,
  encoding: "float",
  model: "public",
  ...changes,
});
const row = (index: number, embedding: unknown, more: object = {}) => ({
  object: "embedding",
  index,
  embedding,
  ...more,
});
const answer = (data: unknown, more: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ object: "list", data, model: "hidden", usage: { prompt_tokens: 3 }, ...more }));

const bytesOf = (...numbers: number[]): string => Buffer.from(new Float32Array(numbers).buffer).toString("base64");

const read = (data: unknown, changes: Partial<AskedEmbeddings> = {}) => {
  const { bytes, usage } = readEmbeddings(answer(data), asked(changes));
  return JSON.parse(withUsage({ bytes }, usage ?? NO_USAGE).toString()) as Record<string, unknown>;
};

test("vectors keep their bytes; the name of the model is the public one, and nothing else of the provider comes along", () => {
  const text = `{"id":"secret","object":"list","data":[{"object":"embedding","index":0,"embedding":[1e-7, 0.10]}],"model":"hidden"}`;
  const { bytes, usage } = readEmbeddings(Buffer.from(text), asked({ inputs: 1 }));

  expect(usage).toBeNull();
  expect(withUsage({ bytes }, { ...NO_USAGE, inputTokens: 9 }).toString()).toBe(
    `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1e-7, 0.10]}],"model":"public","usage":{"prompt_tokens":9,"total_tokens":9}}`,
  );
});

describe("what came otherwise is made to fit", () => {
  const [one, other] = [
    [0.5, -1],
    [0.25, 2],
  ];

  test("another encoding", () => {
    const texts = [row(0, encodeVector(one)), row(1, encodeVector(other))];
    const floats = [row(0, one), row(1, other)];

    expect(read(floats, { encoding: "base64" })["data"]).toEqual(texts);
    expect(read(texts)["data"]).toEqual(floats);
  });

  test("more than a vector has", () => {
    const rows = [row(0, one, { trace: "secret" }), row(1, other, { input: "what was asked" })];

    expect(read(rows)["data"]).toEqual([row(0, one), row(1, other)]);
    expect(Object.keys((read(rows)["data"] as object[])[0] ?? {})).toEqual(["object", "index", "embedding"]);
  });

  test.each([
    `{"data":[],"data":[{"object":"embedding","index":0,"embedding":[1]}]}`,
    `{"d\\u0061ta":"secret","data":[{"object":"embedding","index":0,"embedding":[1]}]}`,
    `{"data":[{"object":"embedding","index":0,"embedding":[2,3],"embedding":[1]}]}`,
    `{"data":[{"object":"embedding","index":0,"embedding":[1],"ind\\u0065x":0}]}`,
  ])("what is said twice is sent as it was checked: %s", (text) => {
    const { bytes } = readEmbeddings(Buffer.from(text.replaceAll("\\\\", "\\")), asked({ inputs: 1 }));

    expect(withUsage({ bytes }, NO_USAGE).toString()).toBe(
      `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1]}],"model":"public","usage":{"prompt_tokens":0,"total_tokens":0}}`,
    );
  });

  test("no index, no kind, another order", () => {
    const right = [row(0, one), row(1, other)];

    expect(read([{ embedding: one }, { embedding: other }])["data"]).toEqual(right);
    expect(read([row(1, other), row(0, one)])["data"]).toEqual(right);
  });
});

describe("an answer that is not one vector for each input is none", () => {
  test.each<[string, unknown]>([
    ["no list", { 0: row(0, [1]) }],
    ["too few", [row(0, [1])]],
    ["too many", [row(0, [1]), row(1, [1]), row(2, [1])]],
    ["one place twice", [row(0, [1]), row(0, [1])]],
    ["a place beyond", [row(0, [1]), row(2, [1])]],
    ["a place that is no number", [row(0, [1]), { ...row(1, [1]), index: "1" }]],
    ["half of the places", [{ embedding: [1] }, row(0, [1])]],
    ["an empty vector", [row(0, []), row(1, [])]],
    ["vectors of two lengths", [row(0, [1]), row(1, [1, 2])]],
    ["what is no number", [row(0, [1]), row(1, ["1"])]],
    ["null", [row(0, [1]), null]],
    ["a text that is no vector", [row(0, "AAAAAA=="), row(1, "AA")]],
    ["what is no number, as four bytes", [row(0, bytesOf(Number.NaN)), row(1, bytesOf(1))]],
    ["what has no end, as four bytes", [row(0, bytesOf(1)), row(1, bytesOf(-Infinity))]],
  ])("%s", (_what, data) => {
    for (const encoding of ["float", "base64"] as const)
      expect(() => readEmbeddings(answer(data), asked({ encoding }))).toThrow("not one embedding for each input");
  });

  test.each(["", "[]", "null", `{"error":{"message":"no"}}`, `{"data":`])("%j", (text) => {
    expect(() => readEmbeddings(Buffer.from(text), asked())).toThrow("The provider's response");
  });

  test("more values than any answer has are not parsed", () => {
    const deep = `{"data":${"[".repeat(100)}${"]".repeat(100)}}`;

    expect(() => readEmbeddings(Buffer.from(deep), asked())).toThrow("more than a response may");
    expect(() => readEmbeddings(Buffer.from(`{"data":[${"0,".repeat(8_000_001)}0]}`), asked())).toThrow(
      "more than a response may",
    );
  });
});

const folder = sharedFolder();
describe.skipIf(folder === null)("recorded answers of OpenAI", () => {
  type Exchange = {
    request: { body: { input: unknown; encoding_format?: "float" | "base64" } };
    response: { status: number; body: { usage: { prompt_tokens: number }; data: { embedding: unknown }[] } };
  };
  const names = ["basic", "base64", "dimensions", "large-text", "max-tokens", "mixed-batch", "tokens", "whitespace"];
  const load = (name: string): Exchange =>
    JSON.parse(
      readFileSync(join(folder ?? "", `recordings/clouds/embeddings/openai-embeddings-${name}.exchange.json`), "utf8"),
    ) as Exchange;

  test.each(names)("%s is passed on as it is, with its count", (name) => {
    const { request, response } = load(name);
    const { input, encoding_format: encoding = "float" } = request.body;
    const inputs = Array.isArray(input) && typeof input[0] !== "number" ? input.length : 1;
    const { bytes, usage } = readEmbeddings(
      Buffer.from(JSON.stringify(response.body)),
      asked({ inputs, encoding, model: "public" }),
    );

    expect(usage?.inputTokens).toBe(response.body.usage.prompt_tokens);
    expect(JSON.parse(withUsage({ bytes }, usage ?? NO_USAGE).toString())).toEqual({
      ...response.body,
      model: "public",
    });
  });

  test.each(["openai-agentgateway", "openai-two"])("%s", (name) => {
    const bytes = readFileSync(join(folder ?? "", `recordings/clouds/embeddings/${name}.json`));
    const { data, usage } = JSON.parse(bytes.toString()) as Exchange["response"]["body"];

    expect(readEmbeddings(bytes, asked({ inputs: data.length })).usage?.inputTokens).toBe(usage.prompt_tokens);
  });

  test("Google's OpenAI-compatible answer has neither count nor index", () => {
    const bytes = readFileSync(join(folder ?? "", "recordings/clouds/embeddings/gemini-openai-compatible.json"));
    const { data } = JSON.parse(bytes.toString()) as { data: { embedding: number[] }[] };
    const read = readEmbeddings(bytes, asked({ inputs: data.length }));

    expect(read.usage).toBeNull();
    expect(JSON.parse(withUsage(read, NO_USAGE).toString())).toMatchObject({
      data: data.map(({ embedding }, index) => ({ object: "embedding", index, embedding })),
    });
  });
});
