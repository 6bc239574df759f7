import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { type Command, lockingCommand, namesOf, OPENING, REQUESTS, trafficCommand } from "./commands.ts";
import { databaseTarget } from "./database-target.ts";
import { drive, idsOf, modelTarget, openKeys, rest, type Target } from "./drive.ts";
import { SERVERS } from "./engines.ts";
import type { LedgerEvent } from "./history.ts";
import { ALWAYS, heldAtRest } from "./invariants.ts";
import { createModel } from "./model.ts";
import { asOf, readState } from "./read-state.ts";
import type { State } from "./state.ts";

const SEED = Number(process.env["LEDGER_SEED"] ?? Date.now() % 2 ** 31);
const SCALE = Number(process.env["LEDGER_SCALE"] ?? 1);
const DAY_MS = 86_400_000;

/** I9 and the waiting part of I10 need the order of events, which nobody knows here. */
const ORDERLESS = ["I1", "I2", "I3", "I4", "I5", "I7", "I8", "I10"] as const;

/** Every request asked for once, so that the actors have something to fight over. */
const FIRST: Command = {
  type: "admit",
  process: 0,
  asks: Array.from({ length: REQUESTS / 2 }, (_, request) => ({
    request: request * 2,
    least: 1n,
    most: 30n,
    unlimited: true,
    lifetimeMs: 300_000,
    stale: false,
    claim: null,
  })),
};

describe.each(SERVERS)("$name", ({ reason, open }) => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let run = 0;
  let clockMs = Date.UTC(2026, 0, 5, 12);

  beforeAll(async () => {
    if (reason === null) ({ database, close } = await open());
  });
  afterAll(() => close());

  /** Opens a run, lets the actors loose at once, and hands over what they heard when all is quiet. */
  async function collide(
    actors: readonly (readonly Command[])[],
    check: (result: { heard: LedgerEvent[][]; opening: LedgerEvent[]; state: State; startMs: number }) => Promise<void>,
  ): Promise<void> {
    run += 1;
    const names = namesOf(run);
    const startMs = clockMs;
    const target = await databaseTarget(database, startMs);
    try {
      const opening = await begin(target);
      const heard = await Promise.all(
        actors.map(async (commands) => {
          const events: LedgerEvent[] = [];
          for (const command of commands) events.push(...(await drive(target, names, command)));
          return events;
        }),
      );
      await check({ heard, opening, state: await readState(database, idsOf(names)), startMs });
    } finally {
      await rest(target, names);
      clockMs = Math.ceil(target.nowMs() / DAY_MS + 2) * DAY_MS;
    }
    expect(heldAtRest(await readState(database, idsOf(names)))).toEqual([]);
  }

  async function begin(target: Target): Promise<LedgerEvent[]> {
    const names = namesOf(run);
    await openKeys(target, names);
    const events: LedgerEvent[] = [];
    for (const command of [...OPENING, FIRST]) events.push(...(await drive(target, names, command)));
    return events;
  }

  /** Storms of calls, each followed by a look at what they left. */
  const weather = (storms: number): Promise<void> =>
    fc.assert(
      fc.asyncProperty(actorsOf(trafficCommand), (commands) =>
        collide(commands, async ({ heard, opening, state }) => {
          const events = [...opening, ...heard.flat()];
          const history = events.sort((one, other) => rank(one) - rank(other));
          const wrong = ORDERLESS.flatMap((name) => ALWAYS[name]({ state, history }).map((text) => `${name} ${text}`));
          expect(wrong).toEqual([]);
        }),
      ),
      { seed: SEED, numRuns: storms, endOnFailure: true },
    );

  test.skipIf(reason !== null)(
    `gateways that collide keep every invariant, and none waits for another for ever (seed ${SEED})`,
    () => weather(25 * SCALE),
    120_000,
  );

  test.skipIf(reason !== null)(
    `what colliding gateways hear and leave behind is what some order of their calls would give (seed ${SEED})`,
    async () => {
      const actors = fc.array(fc.array(lockingCommand, { minLength: 2, maxLength: 2 }), { minLength: 3, maxLength: 3 });

      await fc.assert(
        fc.asyncProperty(actors, (commands) =>
          collide(commands, async ({ heard, state, startMs }) => {
            const answers = heard.map((events) => events.map(loosened));
            const seen = asOf(state, startMs);
            const orders = interleavings(commands.map(({ length }) => length));

            const matches = await Promise.all(
              orders.map(async (order) => {
                const replayed = await replay(commands, order, startMs);
                return same(replayed.answers, answers) && same(asOf(replayed.state, startMs), seen);
              }),
            );
            expect(matches).toContain(true);
          }),
        ),
        { seed: SEED, numRuns: 40 * SCALE, endOnFailure: true },
      );
    },
    120_000,
  );

  test.skipIf(reason !== null)(
    "and without the locks they do not: the storms are strong enough to tell",
    async () => {
      for (const fn of ["admit_v1", "settle_v1", "void_v1"]) {
        const [row] = await database.query<{ text: string }>("select pg_get_functiondef($1::regproc) as text", [fn]);
        const unlocked = row?.text.replaceAll(/perform from (balance|hold) where .*;/g, "") ?? "";
        expect(unlocked).not.toBe(row?.text);
        await database.script(unlocked);
      }

      await expect(weather(100)).rejects.toThrow();
    },
    60_000,
  );

  /** The same calls on the model, in one order. */
  async function replay(actors: readonly (readonly Command[])[], order: readonly number[], startMs: number) {
    const model = createModel({ startMs });
    const target = modelTarget(model);
    await begin(target);
    const answers: unknown[][] = actors.map(() => []);
    for (const actor of order) {
      const command = actors[actor]?.[answers[actor]?.length ?? 0];
      if (command) answers[actor]?.push(...(await drive(target, namesOf(run), command)).map(loosened));
    }
    return { answers, state: model.state };
  }
});

const actorsOf = (command: fc.Arbitrary<Command>): fc.Arbitrary<Command[][]> =>
  fc.array(fc.array(command, { minLength: 8, maxLength: 15, size: "max" }), { minLength: 4, maxLength: 5 });

/** Checkpoints first: a sweep may have seen any of them. */
const rank = ({ type }: LedgerEvent): number => (type === "checkpoint" ? 0 : 1);

/** What was held when a batch refused a request may be told as of its start or of its turn. */
function loosened(event: LedgerEvent): unknown {
  if (event.type !== "admit") return event;
  return {
    ...event,
    verdicts: event.verdicts.map((verdict) => ("held" in verdict ? { ...verdict, held: 0n } : verdict)),
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
