import { expect, test } from "vitest";
import { AnswerLimitError } from "../core/request/answer-limit.ts";
import { readAnswer } from "./read-answer.ts";
import { readEvent } from "./read-event.ts";

const listOf = (values: number): string => `{"list":[${"0,".repeat(values)}0]}`;

test("an event of half a million values is read, and one of more is past a bound of ours, so that no route is blamed", () => {
  expect(readEvent(Buffer.from(`data: ${listOf(499_000)}\n\n`))).toMatchObject({ list: expect.any(Array) });
  expect(() => readEvent(Buffer.from(`data: ${listOf(1_000_000)}\n\n`))).toThrow(AnswerLimitError);
});

test("a whole answer of more values than memory should be given for is no answer", () => {
  const one = { kind: "answer", isOne: () => true };

  expect(readAnswer(Buffer.from(listOf(10)), one)).toMatchObject({ list: expect.any(Array) });
  expect(() => readAnswer(Buffer.from(listOf(4_000_001)), one)).toThrow("more than 4,000,000 values");
});
