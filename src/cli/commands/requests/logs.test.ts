import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Ran, runTollgate } from "../../../../tests/support/run-tollgate.ts";

const REQUEST = {
  level: "info",
  time: "2026-11-16T12:00:03.123Z",
  pid: 7,
  msg: "request",
  request_id: "req_1",
  route: "chat_completions",
  method: "POST",
  status: 200,
  key_prefix: "tgc_a034Fq4J",
  model: "mini",
  cost: "0.000493",
  input_tokens: 13,
  output_tokens: 40,
  total_ms: 631.4,
};
const REJECTED = {
  ...REQUEST,
  request_id: "req_2",
  status: 402,
  code: "insufficient_credit",
  key_prefix: "tgc_bbbbbbbb",
};
const WARNING = {
  level: "warn",
  time: "2026-11-16T12:00:04.000Z",
  pid: 7,
  msg: "upstream failed",
  request_id: "req_2",
  provider: "east\u001b[31m",
  status: 500,
  fix: "Check the provider.",
};
const LINES = [REQUEST, REJECTED, WARNING].map((line) => JSON.stringify(line));
const LOG = [...LINES, "npm warn something else", '{"half": '].join("\n");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-logs-"));
  writeFileSync(join(folder, "a.log"), LOG);
});
afterAll(() => rmSync(folder, { recursive: true }));

const logs = (words: string[], input?: string): Promise<Ran> =>
  runTollgate(["logs", ...words], { cwd: folder, env: {}, ...(input !== undefined && { input }) });

test("a log from standard input is printed in readable form, with the fix below its line and what is no line of it unchanged", async () => {
  const { code, stdout } = await logs([], LOG);

  expect(stdout.split("\n")).toEqual([
    "12:00:03  POST  /v1/chat/completions        200     631 ms  mini          13 in, 40 out, 0.000493 credits",
    "12:00:03  POST  /v1/chat/completions        402     631 ms  mini          insufficient_credit",
    '12:00:04  WARN   upstream failed  request_id=req_2  provider="east\\u001b[31m"  status=500',
    "          fix: Check the provider.",
    "npm warn something else",
    '{"half": ',
    "",
  ]);
  expect(code).toBe(0);
});

test.each([
  { words: ["--status", "4xx"], shown: [1] },
  { words: ["--status", "200"], shown: [0] },
  { words: ["--level", "warn"], shown: [2] },
  { words: ["--key", "tgc_a0"], shown: [0] },
  { words: ["--request", "req_2"], shown: [1, 2] },
])("$words chooses lines, and --json prints them as they are", async ({ words, shown }) => {
  const { stdout } = await logs(["a.log", "--json", ...words]);

  expect(stdout.trimEnd().split("\n")).toEqual(shown.map((index) => LINES[index]));
});

test("a file that is not there, and a status that is none, are said so", async () => {
  const [missing, wrong] = await Promise.all([logs(["b.log"]), logs(["a.log", "--status", "6xx"])]);

  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("file not found: b.log") });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("402 or 5xx") });
});
