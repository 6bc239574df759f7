import { expect, test } from "vitest";
import { z } from "zod";
import { Fault } from "../core/fault.ts";
import { validate } from "./validate.ts";

test("a list that is wrong throughout is looked at only as far as its first wrong element", () => {
  let looks = 0;
  const never = z.custom<never>(
    () => {
      looks += 1;
      return false;
    },
    { abort: true },
  );

  expect(() => validate(z.object({ list: z.array(never) }), { list: Array(100_000).fill(0) })).toThrow(Fault);
  expect(looks).toBeLessThan(10);
});

test("the refusal names the first problem and the way to it", () => {
  const schema = z.looseObject({ messages: z.array(z.looseObject({ role: z.enum(["user", "assistant"]) })) });

  expect(() => validate(schema, { messages: [{ role: "user" }, { role: "x" }, 0] })).toThrow(
    "messages.1.role: Input should be 'user' or 'assistant'",
  );
});
