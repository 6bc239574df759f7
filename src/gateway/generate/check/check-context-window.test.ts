import { expect, test } from "vitest";
import { checkContextWindow } from "./check-context-window.ts";

type Case = { likely: number; counted?: number; contextWindow: number | null; tokenFactor?: number };

async function check({ likely, counted = 0, contextWindow, tokenFactor = 1 }: Case): Promise<{ counts: number }> {
  let counts = 0;
  const input = { likely, most: likely * 4, mostPredicted: 0 };
  await checkContextWindow({ input, model: { id: "m", contextWindow, tokenFactor } }, async () => {
    counts++;
    return counted;
  });
  return { counts };
}

test("what a count shows not to fit is refused, and the figures are told [LIM-5] [RTY-5]", async () => {
  await expect(check({ likely: 9_000, counted: 9_001, contextWindow: 4_000 })).rejects.toMatchObject({
    code: "context_length_exceeded",
    message: "Input is about 9,001 tokens; m accepts at most 4,000. Shorten the input.",
  });
});

test("what another vocabulary may fit in is the provider's to judge, though our count is over the window [LIM-6]", async () => {
  await expect(check({ likely: 5_100, counted: 5_000, contextWindow: 4_000 })).resolves.toEqual({ counts: 1 });
  await expect(check({ likely: 5_100, counted: 5_001, contextWindow: 4_000 })).rejects.toThrow("5,001");
});

test("an estimate alone refuses nothing: long runs are few tokens [LIM-6]", async () => {
  await expect(check({ likely: 1_000_000, counted: 100, contextWindow: 4_000 })).resolves.toEqual({ counts: 1 });
});

test("what is estimated to fit is not counted [LIM-6]", async () => {
  await expect(check({ likely: 4_000, counted: 9_000, contextWindow: 4_000 })).resolves.toEqual({ counts: 0 });
});

test("the model's factor counts on both sides [LIM-5]", async () => {
  await expect(check({ likely: 3_500, counted: 4_200, contextWindow: 4_000, tokenFactor: 1.2 })).rejects.toThrow(
    "5,040",
  );
});

test("a model that publishes no window refuses nothing here [LIM-6]", async () => {
  await expect(check({ likely: 1e9, contextWindow: null })).resolves.toEqual({ counts: 0 });
});
