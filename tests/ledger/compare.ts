import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { type Command, looked, namesOf } from "./commands.ts";
import { databaseTarget } from "./database-target.ts";
import { drive, idsOf, modelTarget, openKeys, rest } from "./drive.ts";
import { type LedgerEvent, loosened } from "./history.ts";
import { heldAtRest, violationsOf } from "./invariants.ts";
import { createModel } from "./model.ts";
import { plain } from "./observe.ts";
import { asOf, readState } from "./read-state.ts";
import type { State } from "./state.ts";

const DAY_MS = 86_400_000;

/** Plays a sequence on the model and on a database, and fails at the first answer or row in which they differ. */
export function createComparison(database: Database): (commands: readonly Command[]) => Promise<void> {
  let run = 0;
  let clockMs = Date.UTC(2026, 0, 5, 12);

  return async (commands) => {
    run += 1;
    const names = namesOf(run);
    const model = createModel({ startMs: clockMs });
    const [expected, real] = [modelTarget(model), await databaseTarget(database, clockMs)];
    const history: LedgerEvent[] = [];
    try {
      await openKeys(expected, names);
      await openKeys(real, names);
      for (const command of commands.flatMap(looked)) {
        const should = await drive(expected, names, command);
        const did = await drive(real, names, command);
        history.push(...did);
        expect(loosened(did)).toEqual(loosened(should));
        const state = await readState(database, idsOf(names), real.numberOf);
        expect(
          differencesOf(asOf(state, real.nowMs()), asOf(model.state, real.nowMs())),
          JSON.stringify(command, inWords),
        ).toEqual([]);
      }
      expect(violationsOf({ state: await readState(database, idsOf(names), real.numberOf), history })).toEqual([]);
    } finally {
      // The next run must not find holds of this one, even when this one failed.
      await rest(real, names);
      clockMs = Math.ceil(real.nowMs() / DAY_MS + 2) * DAY_MS;
    }
    expect(heldAtRest(await readState(database, idsOf(names), real.numberOf))).toEqual([]);
  };
}

/** The rows in which two states differ. */
function differencesOf(real: State, model: State): unknown[] {
  return (Object.keys(model) as (keyof State)[]).flatMap((table) => {
    const [is, should] = [real[table] as Map<string, unknown>, model[table] as Map<string, unknown>];
    return [...new Set([...is.keys(), ...should.keys()])].flatMap((id) => {
      const differ = !isDeepStrictEqual(plain(is.get(id)), plain(should.get(id)));
      return differ ? [{ table, id, is: is.get(id), shouldBe: should.get(id) }] : [];
    });
  });
}

const inWords = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);
