import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { SERVERS } from "./engines.ts";
import { createRollupPlay, installGate, type RollupStep, rollupSteps } from "./rollup-story.ts";
import { runSeed } from "../support/run-seed.ts";

const SEED = runSeed();
const SCALE = Number(process.env["LEDGER_SCALE"] ?? 1);

describe.each(SERVERS)("$name", ({ reason, open }) => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let play: (steps: readonly RollupStep[]) => Promise<string[]>;

  beforeAll(async () => {
    if (reason !== null) return;
    ({ database, close } = await open());
    await installGate(database);
    play = createRollupPlay(database);
  });
  afterAll(() => close());

  const settle = (request: number, open = false): RollupStep => ({ type: "settle", request, open });
  const undo = (request: number, open = false) => ({ type: "void", request, open }) as const;
  const rollup = (...meanwhile: ReturnType<typeof undo>[]): RollupStep => ({ type: "rollup", meanwhile });
  const turn: RollupStep = { type: "turn", meanwhile: [] };

  test.skipIf(reason !== null).each<[what: string, steps: RollupStep[]]>([
    ["two voids around a rollup", [settle(0), undo(0), rollup(), settle(1), rollup(), undo(1)]],
    ["a void between the sums of a rollup and its commit", [settle(0), rollup(), rollup(undo(0))]],
    ["a void that commits after the rollup that could not see it", [settle(0), rollup(), undo(0, true), rollup()]],
    ["the only request of an hour undone", [settle(0), rollup(), undo(0), rollup()]],
    [
      "a settle that commits after its hour was added up",
      [settle(0, true), { type: "advance", ms: 1_700_000 }, turn, turn, { type: "commit" }],
    ],
  ])("an hour is right again after %s [MON-36]", async (_what, steps) => {
    expect(await play(steps)).toEqual([]);
  });

  test.skipIf(reason !== null)(
    `hours are right at rest after any order of settles, voids and rollups (seed ${SEED})`,
    () =>
      fc.assert(
        fc.asyncProperty(rollupSteps, async (steps) => {
          expect(await play(steps)).toEqual([]);
        }),
        { seed: SEED, numRuns: 40 * SCALE, endOnFailure: true },
      ),
    120_000,
  );
});
