import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../support/cases.ts";
import { BROKEN_MODELS, noticedInModel, play } from "./broken-models.ts";
import { commandSequence } from "./commands.ts";
import { jumpingSequence } from "./jumps.ts";
import { runSeed } from "../support/run-seed.ts";

const SEED = runSeed();

test("whatever happens, the model keeps every invariant", async () => {
  await fc.assert(
    fc.asyncProperty(commandSequence(60), async (commands) => {
      expect(await play(commands)).toEqual([]);
    }),
    { seed: SEED, numRuns: cases({ gate: 150, long: 1_000 }) },
  );
}, 300_000);

test("whatever the clock does, the model keeps every invariant", async () => {
  await fc.assert(
    fc.asyncProperty(jumpingSequence(60), async (commands) => {
      expect(await play(commands)).toEqual([]);
    }),
    { seed: SEED, numRuns: cases({ gate: 100, long: 1_000 }) },
  );
}, 300_000);

test.each(BROKEN_MODELS)("a ledger with $name is caught by $caughtBy", async (broken) => {
  expect(await noticedInModel(broken)).toContain(broken.caughtBy);
});
