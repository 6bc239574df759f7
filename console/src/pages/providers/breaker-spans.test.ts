import { expect, test } from "vitest";
import { breakerSpans } from "./breaker-spans.ts";

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 16, 12, minute)).toISOString();
const NOW = Date.parse(at(30));
const told = (spans: ReturnType<typeof breakerSpans>) =>
  spans.map(({ kind, fromMs, toMs }) => [kind, new Date(fromMs).getUTCMinutes(), new Date(toMs).getUTCMinutes()]);

test("a route without a change was in use since it is known", () => {
  expect(told(breakerSpans({ known_since: at(0), changes: [] }, NOW))).toEqual([["well", 0, 30]]);
});

test("an opening is skipped until a call may test the route, then on trial until it closes", () => {
  const changes = [
    { at: at(5), state: "open" as const, reason: "server_error", until: at(6) },
    { at: at(9), state: "closed" as const, reason: "answered", until: null },
  ];

  expect(told(breakerSpans({ known_since: at(0), changes }, NOW))).toEqual([
    ["well", 0, 5],
    ["ill", 5, 6],
    ["doubt", 6, 9],
    ["well", 9, 30],
  ]);
});

test("a trial that fails opens it again, and an opening that lasts ends now", () => {
  const changes = [
    { at: at(5), state: "open" as const, reason: "timeout", until: at(6) },
    { at: at(6), state: "open" as const, reason: "timeout", until: at(45) },
  ];

  expect(told(breakerSpans({ known_since: at(0), changes }, NOW))).toEqual([
    ["well", 0, 5],
    ["ill", 5, 6],
    ["ill", 6, 30],
  ]);
});

test("what was before the first change that is remembered is not made up", () => {
  const changes = [{ at: at(9), state: "closed" as const, reason: "answered", until: null }];

  expect(told(breakerSpans({ known_since: at(0), changes }, NOW))).toEqual([["well", 9, 30]]);

  const full = Array.from({ length: 50 }, () => ({ at: at(9), state: "open" as const, reason: "", until: at(10) }));
  expect(told(breakerSpans({ known_since: at(0), changes: full }, NOW))).toEqual([
    ["ill", 9, 10],
    ["doubt", 10, 30],
  ]);
});
