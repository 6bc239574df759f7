import { expect, test } from "vitest";
import { seal, sign, unseal } from "./proof.ts";

test("what was sealed for one purpose is known again for that purpose alone, and only untouched", () => {
  const sealed = seal("encrypted", "rs_1");

  expect(unseal("encrypted", sealed)).toBe("rs_1");
  expect(unseal("redacted", sealed)).toBeNull();
  for (const forged of [
    sealed.slice(1),
    `${sealed}=`,
    sealed.replace("=", ""),
    seal("encrypted", "rs_2").slice(0, 9),
    "",
    null,
  ])
    expect(unseal("encrypted", forged)).toBeNull();
});

test("a signature is that of one text", () => {
  expect(sign("signature", "a")).toBe(sign("signature", "a"));
  expect(sign("signature", "a")).not.toBe(sign("signature", "a "));
});
