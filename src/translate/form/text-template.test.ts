import { expect, test } from "vitest";
import { createNumberedTemplate, createTextTemplate } from "./text-template.ts";

const TEXTS = ["", "word ", 'say "hi"\n', "é 漢字 😀", "\u0000text\u0000", "1e+300", "\ud83d"];

test.each(TEXTS)("an event written from its surroundings is the event written whole: %j", (text) => {
  const write = (said: string): Buffer => Buffer.from(`data: ${JSON.stringify({ before: 1, said, after: [0] })}\n\n`);

  expect(createTextTemplate(write)(text)).toEqual(write(text));
});

test.each(TEXTS)("and with a number of its own: %j", (text) => {
  const write = (said: string, number: number): Buffer =>
    Buffer.from(JSON.stringify({ id: "300", said, none: [], number }));

  for (const number of [0, 7, 123_456])
    expect(createNumberedTemplate(write)(text, number)).toEqual(write(text, number));
});
