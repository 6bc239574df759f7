import fc from "fast-check";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { GIVEN_BACK } from "./broken-chains.ts";
import { commandSequence, OPENING } from "./commands.ts";
import { createComparison } from "./compare.ts";
import { ENGINES } from "./engines.ts";
import { runSeed } from "../support/run-seed.ts";

const SEED = runSeed();
const SCALE = Number(process.env["LEDGER_SCALE"] ?? 1);

describe.each(ENGINES)("$name", ({ reason, open, runs }) => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;

  beforeAll(async () => {
    if (reason === null) ({ database, close } = await open());
  });
  afterAll(() => close());

  test.skipIf(reason !== null)(
    `the functions answer and remember exactly what the model does (seed ${SEED})`,
    async () => {
      const compare = createComparison(database);

      await fc.assert(fc.asyncProperty(commandSequence(40), compare), {
        seed: SEED,
        numRuns: runs * SCALE,
        endOnFailure: true,
        examples: [[[...OPENING, ...GIVEN_BACK]]],
      });
    },
    300_000 * Math.max(1, SCALE),
  );
});
