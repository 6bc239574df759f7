import { expect, test } from "vitest";
import { checkContextWindow } from "./check-context-window.ts";

const check = (likely: number, contextWindow: number | null) => () =>
  checkContextWindow({ likely, most: likely * 4 }, { id: "m", contextWindow });

test("what cannot fit however kindly it is counted is refused, and the figures are told [LIM-5] [RTY-5]", () => {
  expect(check(2_600, 1_000)).toThrow(
    expect.objectContaining({
      code: "context_length_exceeded",
      message: expect.stringMatching(/at least 1040; m takes 1000/) as string,
    }),
  );
});

test("what might fit is the provider's to judge, though the likely count is over the window [LIM-6]", () => {
  expect(check(2_500, 1_000)).not.toThrow();
});

test("a model that publishes no window refuses nothing here [LIM-6]", () => {
  expect(check(1e9, null)).not.toThrow();
});
