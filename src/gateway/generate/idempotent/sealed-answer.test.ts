import { expect, test } from "vitest";
import { sealAnswer, unsealAnswer } from "./sealed-answer.ts";

const ANSWER = { headers: { "x-tollgate-fidelity": "exact" }, body: Buffer.from("data: the answer\n\n") };
const with_ = { secret: "tgc_secret", about: "k chat_completions" };

test("an answer comes back byte for byte to the secret that sealed it, and does not show in what is stored [IDM-25]", () => {
  const sealed = sealAnswer(ANSWER, with_);

  expect(unsealAnswer(sealed, with_)).toEqual(ANSWER);
  expect(sealed.includes("answer") || sealed.includes("fidelity")).toBe(false);
  expect(sealAnswer(ANSWER, with_).equals(sealed)).toBe(false);
});

test("another secret, another request's place, or a changed byte opens nothing", () => {
  const sealed = sealAnswer(ANSWER, with_);
  const changed = Buffer.from(sealed);
  changed[changed.length - 1] = (changed.at(-1) as number) ^ 1;

  expect(unsealAnswer(sealed, { ...with_, secret: "tgc_other" })).toBeNull();
  expect(unsealAnswer(sealed, { ...with_, about: "k responses" })).toBeNull();
  expect(unsealAnswer(changed, with_)).toBeNull();
  expect(unsealAnswer(Buffer.alloc(10), with_)).toBeNull();
});
