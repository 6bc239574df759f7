import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { cases } from "../support/cases.ts";
import { type Command, lockingCommand, type Names } from "./commands.ts";
import { drive, modelTarget } from "./drive.ts";
import { SERVERS } from "./engines.ts";
import { type LedgerEvent, loose } from "./history.ts";
import { createModel } from "./model.ts";
import { asOf } from "./read-state.ts";
import { begin, createCollider, damageOf, stormyActors } from "./storm.ts";
import { runSeed } from "../support/run-seed.ts";

const SEED = runSeed();
const SCALE = Number(process.env["LEDGER_SCALE"] ?? 1);

describe.each(SERVERS)("$name", ({ reason, open }) => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let collide: ReturnType<typeof createCollider>;

  beforeAll(async () => {
    if (reason !== null) return;
    ({ database, close } = await open());
    collide = createCollider(database);
  });
  afterAll(() => close());

  test.skipIf(reason !== null)(
    `gateways that collide keep every invariant, and none waits for another for ever (seed ${SEED})`,
    () =>
      fc.assert(
        fc.asyncProperty(stormyActors, async (actors) => {
          const { result, left } = await collide(actors, damageOf);
          expect([...result, ...left]).toEqual([]);
        }),
        { seed: SEED, numRuns: cases({ gate: 10, long: 50 }) * SCALE, endOnFailure: true },
      ),
    // A bound for what hangs.
    900_000,
  );

  test.skipIf(reason !== null)(
    `what colliding gateways hear and leave behind is what some order of their calls would give (seed ${SEED}) [MON-18] [ORD-10]`,
    async () => {
      const actors = fc.array(fc.array(lockingCommand, { minLength: 2, maxLength: 2 }), { minLength: 3, maxLength: 3 });

      await fc.assert(
        fc.asyncProperty(actors, async (commands) => {
          const { left } = await collide(commands, async ({ names, heard, state, startMs }) => {
            const answers = heard.map((events) => events.map(loosened));
            const seen = asOf(state, startMs);
            const orders = interleavings(commands.map(({ length }) => length));

            const matches = await Promise.all(
              orders.map(async (order) => {
                const replayed = await replay({ actors: commands, order, startMs, names });
                return same(replayed.answers, answers) && same(asOf(replayed.state, startMs), seen);
              }),
            );
            expect(matches).toContain(true);
          });
          expect(left).toEqual([]);
        }),
        { seed: SEED, numRuns: cases({ gate: 15, long: 80 }) * SCALE, endOnFailure: true },
      );
    },
    // A bound for what hangs.
    900_000,
  );
});

type Replay = { actors: readonly (readonly Command[])[]; order: readonly number[]; startMs: number; names: Names };

/** The same calls on the model, in one order. */
async function replay({ actors, order, startMs, names }: Replay) {
  const model = createModel({ startMs });
  const target = modelTarget(model);
  await begin(target, names);
  const answers: unknown[][] = actors.map(() => []);
  const left = actors.map((commands) => [...commands]);
  for (const actor of order) {
    const command = left[actor]?.shift();
    if (command) answers[actor]?.push(...(await drive(target, names, command)).map(loosened));
  }
  return { answers, state: model.state };
}

/** What was held when a batch refused a request may be told as of its start or of its turn. */
function loosened(event: LedgerEvent): unknown {
  if (event.type !== "admit") return event;
  return {
    ...event,
    verdicts: event.verdicts.map(loose),
  };
}

function same(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}

/** Every order of calls that keeps each actor's own. */
function interleavings(counts: readonly number[]): number[][] {
  if (counts.every((count) => count === 0)) return [[]];
  return counts.flatMap((count, actor) =>
    count === 0 ? [] : interleavings(counts.with(actor, count - 1)).map((order) => [actor, ...order]),
  );
}
