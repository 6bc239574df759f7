import { expect, test } from "vitest";
import { createProgress } from "./progress.ts";

const writtenBy = (isTTY: boolean): string => {
  let written = "";
  const stream = { isTTY, write: (text: string) => (written += text) !== "" } as unknown as NodeJS.WriteStream;
  const progress = createProgress(stream);
  progress.show("Checking charges", 0);
  progress.show("Checking charges", 1_200);
  progress.end();
  return written;
};

test("progress is one line of a terminal that is gone at the end, and nothing in a log", () => {
  expect(writtenBy(true).endsWith("Checking charges: 1,200\u001B[2K\u001B[1G")).toBe(true);
  expect(writtenBy(false)).toBe("");
});
