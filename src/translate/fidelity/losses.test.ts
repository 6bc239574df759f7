import { expect, test } from "vitest";
import { lossesOf } from "./losses.ts";

test("at a dialect for which no table was made every field is lost, and said to be", () => {
  const body = { model: "m", messages: [{ role: "user", content: "hi" }], temperature: 0.5 };

  expect(lossesOf("chat", "bedrock", body).dropped.map(({ at }) => at)).toEqual(
    expect.arrayContaining(["model", "messages", "temperature"]),
  );
  expect(lossesOf("chat", "messages", body).dropped).toEqual([]);
});
