import fc from "fast-check";
import type { Database } from "../../src/db/database.ts";
import { type Command, namesOf, type Names, OPENING, REQUESTS, trafficCommand } from "./commands.ts";
import { databaseTarget } from "./database-target.ts";
import { drive, idsOf, openKeys, rest, type Target } from "./drive.ts";
import type { LedgerEvent } from "./history.ts";
import { ALWAYS, heldAtRest } from "./invariants.ts";
import { readState } from "./read-state.ts";
import type { State } from "./state.ts";

const DAY_MS = 86_400_000;

/** I9, C3 and the waiting part of I10 need the order of events, which nobody knows here. */
const ORDERLESS = ["I1", "I2", "I3", "I4", "I5", "I7", "I8", "I10", "C1", "C2", "C4", "C5"] as const;

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

export const stormyActors: fc.Arbitrary<Command[][]> = fc.array(
  fc.array(trafficCommand, { minLength: 8, maxLength: 15, size: "max" }),
  { minLength: 4, maxLength: 5 },
);

type Collision = {
  names: Names;
  heard: LedgerEvent[][];
  opening: LedgerEvent[];
  state: State;
  startMs: number;
};

/** Opens a run, lets the actors loose at once, and hands over what they heard when all is quiet. */
export function createCollider(database: Database) {
  let run = 0;
  let clockMs = Date.UTC(2026, 0, 5, 12);

  return async <Result>(
    actors: readonly (readonly Command[])[],
    judge: (collision: Collision) => Promise<Result>,
  ): Promise<{ result: Result; left: string[] }> => {
    run += 1;
    const names = namesOf(run);
    const startMs = clockMs;
    const target = await databaseTarget(database, startMs);
    try {
      const opening = await begin(target, names);
      const heard = await Promise.all(actors.map((commands) => act(target, names, commands)));
      const result = await judge({
        names,
        heard,
        opening,
        state: await readState(database, idsOf(names), target.numberOf),
        startMs,
      });
      await rest(target, names);
      return { result, left: heldAtRest(await readState(database, idsOf(names), target.numberOf)) };
    } finally {
      await rest(target, names).catch(() => undefined);
      clockMs = Math.ceil(target.nowMs() / DAY_MS + 2) * DAY_MS;
    }
  };
}

/** Keys with money and open requests. */
export async function begin(target: Target, names: Names): Promise<LedgerEvent[]> {
  await openKeys(target, names);
  return act(target, names, [...OPENING, FIRST]);
}

async function act(target: Target, names: Names, commands: readonly Command[]): Promise<LedgerEvent[]> {
  const events: LedgerEvent[] = [];
  for (const command of commands) events.push(...(await drive(target, names, command)));
  return events;
}

/** What is wrong after a storm, with the name of the invariant in front. */
export async function damageOf({ heard, opening, state }: Collision): Promise<string[]> {
  const history = [...opening, ...heard.flat()].sort((one, other) => rank(one) - rank(other));
  return ORDERLESS.flatMap((name) => ALWAYS[name]({ state, history }).map((text) => `${name} ${text}`));
}

/** Checkpoints first: a sweep may have seen any of them. */
const rank = ({ type }: LedgerEvent): number => (type === "checkpoint" ? 0 : 1);
