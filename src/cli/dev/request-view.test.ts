import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type LoggedRequest, requestText } from "../text/requests/log-text.ts";
import { PLAIN } from "../text/screen.ts";
import { createRequestView } from "./request-view.ts";

const request: LoggedRequest = {
  time: "2026-11-16T12:00:03.123Z",
  route: "chat_completions",
  method: "POST",
  status: 200,
  key_prefix: "tgc_a034Fq4J",
  model: "sim-steady",
  cost: "0.000493",
  input_tokens: 13,
  output_tokens: 1200,
  total_ms: 6312.4,
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a request is one line: time, method, path, status, duration, model, tokens and credits", () => {
  expect(requestText(request, PLAIN)).toBe(
    "12:00:03  POST  /v1/chat/completions        200   6,312 ms  sim-steady    13 in, 1,200 out, 0.000493 credits",
  );
});

test("a key with a token budget shows its origin and its tokens, and a rejected request its code", () => {
  const { cost: _, ...rest } = request;
  const budget = { ...rest, key_prefix: "tgt_a034Fq4J", charged_tokens: 1213 };
  const rejected = { ...rest, status: 402, code: "insufficient_credit" };

  expect(requestText(budget, PLAIN)).toContain("/token/v1/chat/completions");
  expect(requestText(budget, PLAIN)).toContain("13 in, 1,200 out, 1,213 tokens charged");
  expect(requestText(rejected, PLAIN)).toMatch(/ 402 .+ sim-steady {4}insufficient_credit$/);
});

test("a line fits the terminal, its status has a colour, and a model cannot command the terminal", () => {
  const screen = { isTerminal: true, columns: 60, paint: (tone: string, text: string) => `<${tone}:${text}>` };
  const text = requestText({ ...request, model: "x\u001B[2J\nsecond line" }, screen);

  expect(text).toContain("<good:200>");
  expect(text).not.toContain("\u001B");
  expect(text).not.toContain("\n");
  expect(text.replaceAll(/<\w+:([^>]*)>/g, "$1").length).toBeLessThanOrEqual(60);
});

test("of a burst the first twenty lines of a second are shown and the others counted; probes and other lines are not shown", () => {
  const written: string[] = [];
  const view = createRequestView({
    output: { write: (line) => void written.push(line) },
    screen: PLAIN,
    clock: { elapsedMs: () => Date.now() },
  });
  const line = (fields: object) => `${JSON.stringify({ level: "info", msg: "request", ...request, ...fields })}\n`;

  view(line({ route: "health" }));
  view('{"level":"info","msg":"catalogue changed"}\n');
  for (let sent = 0; sent < 500; sent++) view(line({}));
  expect(written).toHaveLength(20);
  vi.advanceTimersByTime(1_000);
  expect(written.at(-1)).toBe("… 480 more requests, listed in the log\n");

  view(line({ model: "next" }));
  expect(written.at(-1)).toContain("next");
  expect(written).toHaveLength(22);
});
