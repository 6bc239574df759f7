import { expect, test } from "vitest";
import type { Payer } from "../../core/money/payer.ts";
import { createStakes } from "./stakes.ts";

const [ann, bob] = ["ann", "bob"] as [Payer, Payer];

test("what a payer has at stake at a time stays within the cap, in each unit, and another's is another's", () => {
  const stake = createStakes({ credit: 10n, tokens: 100n });
  const first = stake(ann, { credits: 6n, tokens: null });
  expect(stake(ann, { credits: 5n, tokens: null })).toBeNull();
  expect(stake(ann, { credits: 4n, tokens: 101n })).toBeNull();
  expect(stake(bob, { credits: 5n, tokens: 100n })).not.toBeNull();

  first?.();
  first?.();
  expect(stake(ann, { credits: 10n, tokens: 100n })).not.toBeNull();
  expect(stake(ann, { credits: 0n, tokens: 1n })).toBeNull();
});
