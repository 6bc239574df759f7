import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { expect, test } from "vitest";
import { REDACTED, redact } from "./redact.ts";
import { processorMs } from "../../../tests/support/processor-time.ts";

const CANARY = "Canary0f7d2c9a41b8e6";

/** Every way in which a secret has been seen to reach a log. */
const LEAKS = [
  `tgc_0a1${CANARY}`,
  `tgt_0a1${CANARY}`,
  `sk-${CANARY}`,
  `sk-proj-ant_${CANARY}`,
  `Authorization: Bearer ${CANARY}`,
  `authorization: Basic ${CANARY}`,
  `bearer  ${CANARY}`,
  `BEARER ${CANARY}`,
  `x-api-key: ${CANARY}`,
  `X-Api-Key=${CANARY}`,
  `{"x-api-key":"${CANARY}"}`,
  `"{\\"x-api-key\\":\\"${CANARY}\\"}"`,
  `["x-api-key","${CANARY}"]`,
  `["Authorization", "Basic ${CANARY}", "accept"]`,
  `x-goog-api-key: ${CANARY}`,
  `connect postgres://gate:${CANARY}@db:5432/tollgate failed`,
  `postgresql://gate:p@ss${CANARY}@db/x`,
  `https://proxy:${CANARY}@example.test/path`,
  `https://example.test/v1?alt=sse&key=${CANARY}`,
  `postgres://db/x?password=${CANARY}`,
];

test("whatever looks like a secret is taken out of plain text", () => {
  for (const text of LEAKS) {
    expect(redact(text)).not.toContain(CANARY);
    expect(redact(text)).toContain(REDACTED);
  }
});

test("whatever looks like a secret is taken out of a JSON line, and the line stays JSON", () => {
  for (const text of LEAKS) {
    const line = JSON.stringify({
      before: 1,
      list: ["x-api-key", CANARY],
      nested: { headers: { "x-api-key": CANARY }, text },
      after: "kept",
    });

    const result = redact(line);

    expect(result).not.toContain(CANARY);
    expect(JSON.parse(result)).toMatchObject({ before: 1, after: "kept" });
  }
});

test("a secret is found wherever a word may begin", () => {
  for (const before of [" ", "\n", "\t", '"', "(", "\\", "é", ","]) {
    for (const text of LEAKS) expect(redact(JSON.stringify({ text: `said${before}${text}` }))).not.toContain(CANARY);
  }
});

test("a header without a text value leaves the line JSON", () => {
  for (const value of [
    { "x-api-key": 5 },
    { "x-api-key": null },
    ["x-api-key", 5],
    { a: "x-api-key=" },
    { api_key: "" },
    { a: "api-key: \\" },
    { a: "api-key", b: true },
  ]) {
    JSON.parse(redact(JSON.stringify(value)));
  }
});

test("a line stays JSON whatever stands around a secret", () => {
  const piece = oneof(
    string(),
    constantFrom(
      '"',
      "\\",
      "\n",
      "\r",
      "}",
      "x-api-key: ",
      "api_key=",
      "Authorization",
      "Bearer ",
      "://a:",
      "@",
      `sk-${CANARY}`,
    ),
  );

  assert(
    property(array(piece, { maxLength: 12 }), (pieces) => {
      const result = JSON.parse(redact(JSON.stringify({ text: pieces.join(""), after: "kept" }))) as { after: string };
      expect(result.after).toBe("kept");
    }),
    { numRuns: 2000 },
  );
});

test("what is not secret passes unchanged: key prefixes, ids, addresses and plain words", () => {
  for (const text of [
    "tgc_0a1Xy7Qp",
    "req_018bcfe5680070008000000000000001",
    "http://127.0.0.1:8080/v1",
    "mailto:a@b.test",
    "a task-oriented model",
    "risk-averse-and-long",
  ]) {
    expect(redact(text)).toBe(text);
  }
});

test("hostile text costs linear time", () => {
  for (const unit of [
    "://",
    "://a:",
    "x-api-key ",
    "bearer ",
    "sk-",
    "?key=",
    "api_key\\\\",
    'api-key","',
    "authorization: basic ",
  ])
    expect(
      processorMs(() => redact(unit.repeat(20_000))),
      unit,
    ).toBeLessThan(500);
});
