import { afterEach, expect, test, vi } from "vitest";
import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import { CommandError, reportFailure } from "./report-failure.ts";

afterEach(() => vi.restoreAllMocks());

function said(error: unknown, asJson: boolean): string {
  let text = "";
  vi.spyOn(process.stderr, "write").mockImplementation((bytes) => {
    text += String(bytes);
    return true;
  });
  reportFailure(error, asJson);
  return text;
}

const withCode = (message: string, code: string): Error => Object.assign(new Error(message), { code });

test.each<[error: unknown, sentence: string]>([
  [new CommandError("there is nothing to change."), "there is nothing to change."],
  [new Fault("not_found", "There is no key."), "There is no key."],
  [new Conflict("it is revoked."), "it is revoked."],
  [
    withCode('relation "key" does not exist', "42P01"),
    'the database is not up to date (relation "key" does not exist). Run `tollgate migrate`.',
  ],
  [withCode("bigint out of range", "22003"), "the database refused: bigint out of range (22003)."],
  [
    withCode("connect ECONNREFUSED 127.0.0.1:1", "ECONNREFUSED"),
    "connect ECONNREFUSED 127.0.0.1:1. Is the server running, and is its address right?",
  ],
])("%s is one sentence without a stack", (error, sentence) => {
  expect(said(error, false)).toBe(`tollgate: ${sentence}\n`);
  expect(JSON.parse(said(error, true))).toEqual({ error: { message: sentence } });
});

test("what nobody foresaw keeps its stack", () => {
  expect(said(new TypeError("x is not a function"), false)).toContain("\n    at ");
});
