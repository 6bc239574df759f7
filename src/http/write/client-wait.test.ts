import fc from "fast-check";
import { expect, test } from "vitest";
import { Fault, FAULT_CODES } from "../../core/fault.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import { renderFormatB } from "../../wire/errors/format-b.ts";
import { forClient } from "./client-wait.ts";

const DAY_SECONDS = 86_400;
const MOST_CODEX_SECONDS = 10;

const CODEX = [
  { "user-agent": "codex_cli_rs/0.50.0 (Debian 12; x86_64) xterm" },
  { "user-agent": "codex-tui/0.166.0 (Mac OS 15; arm64)" },
  { "user-agent": "codex_exec/0.166.0" },
  { "user-agent": "Codex Desktop/1.0.0" },
  { "user-agent": "corporate-proxy/1", originator: "codex_vscode" },
  { originator: "codex_sdk_ts" },
];
const OTHERS = [
  {},
  { "user-agent": "OpenAI/JS 6.49.0" },
  { "user-agent": "codexter/1.0" },
  { "user-agent": "my-agent (like codex_cli_rs)", originator: "my-agent" },
  { originator: ["codex_cli_rs", "other"] },
];

const wait = fc.integer({ min: 0, max: 40 * DAY_SECONDS });
const shown = (fault: Fault): number[] =>
  [renderFormatA, renderFormatB].map((render) => Number(render(fault, "req_1").headers["retry-after"]));

test("a used-up limit is waited for until it renews, for a day at most; Codex, which waits without a word, for seconds [HDR-5] [HDR-8]", () => {
  fc.assert(
    fc.property(wait, fc.constantFrom(...OTHERS), fc.constantFrom(...CODEX), (seconds, other, codex) => {
      const fault = new Fault("limit_reached", "used up", { retryAfterSeconds: seconds, renewsAt: "then" });
      const truth = Math.min(DAY_SECONDS, Math.max(1, seconds));

      expect(shown(forClient(fault, other))).toEqual([truth, truth]);
      for (const told of shown(forClient(fault, codex))) {
        expect(told).toBeGreaterThanOrEqual(1);
        expect(told).toBeLessThanOrEqual(Math.min(truth, MOST_CODEX_SECONDS));
      }
    }),
  );
});

test("nothing else of a refusal depends on who reads it", () => {
  const codes = fc.constantFrom(...FAULT_CODES.filter((code) => code !== "limit_reached"));
  fc.assert(
    fc.property(codes, wait, fc.constantFrom(...CODEX), (code, retryAfterSeconds, codex) => {
      const fault = new Fault(code, "refused", { retryAfterSeconds });

      expect(forClient(fault, codex)).toBe(fault);
    }),
  );
  const options = { param: "model", renewsAt: "then", renewsEvery: "month", kept: "short", hint: { a: 1 } } as const;
  const fault = new Fault("limit_reached", "used up", { ...options, retryAfterSeconds: 900, detail: { b: 2 } });

  expect(forClient(fault, CODEX[0] ?? {})).toEqual(Object.assign(fault, { retryAfterSeconds: expect.any(Number) }));
});
