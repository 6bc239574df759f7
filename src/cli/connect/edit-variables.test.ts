import { expect, test } from "vitest";
import { setVariables } from "./edit-variables.ts";

test("variables are set on their lines and added at the end; other lines stay", () => {
  const before = '# mine\nexport OPENAI_API_KEY=old # x\nOTHER="a b"\n\nempty=\n';

  expect(setVariables(before, { OPENAI_API_KEY: "$&new", OPENAI_BASE_URL: "u" })).toBe(
    '# mine\nexport OPENAI_API_KEY=$&new\nOTHER="a b"\n\nempty=\nOPENAI_BASE_URL=u\n',
  );
});

test("variables that are there already change no byte", () => {
  expect(setVariables("A=1\r\nB=2\r\n", { B: "2" })).toBe("A=1\r\nB=2\r\n");
  expect(setVariables("", { B: "2" })).toBe("B=2\n");
});

test("a value over several lines is refused", () => {
  expect(() => setVariables('A="x\nB=1"\n', { B: "2" })).toThrow("over several lines");
});
