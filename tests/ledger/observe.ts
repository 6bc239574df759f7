import { isDeepStrictEqual } from "node:util";
import type { Database } from "../../src/db/database.ts";
import { type Command, looked, namesOf } from "./commands.ts";
import { databaseTarget } from "./database-target.ts";
import { drive, idsOf, modelTarget, openKeys, rest } from "./drive.ts";
import { type LedgerEvent, loosened } from "./history.ts";
import { heldAtRest, imbalancesOf, violationsOf } from "./invariants.ts";
import { createModel } from "./model.ts";
import { asOf, readState } from "./read-state.ts";

const DAY_MS = 86_400_000;

/**
 * Plays a sequence on a database and answers which checks have something to say: an invariant by its name, `model` when an
 * answer or a row differs from the model's, `invariant` when the gateway does not believe an answer, or the rule of the database
 * that refused. It does not stop at the first, so that a broken ledger can be seen to trip the check that is meant for it.
 */
export function createObservation(database: Database): (commands: readonly Command[]) => Promise<Set<string>> {
  let run = 0;
  let clockMs = Date.UTC(2026, 0, 5, 12);

  return async (commands) => {
    run += 1;
    const names = namesOf(run);
    const model = createModel({ startMs: clockMs });
    const [expected, real] = [modelTarget(model), await databaseTarget(database, clockMs)];
    const history: LedgerEvent[] = [];
    const noticed = new Set<string>();
    const note = (violations: readonly string[]): void => violations.forEach((text) => noticed.add(checkOf(text)));
    const look = () => readState(database, idsOf(names), real.numberOf);
    try {
      await openKeys(expected, names);
      await openKeys(real, names);
      for (const command of commands.flatMap(looked)) {
        const did = await drive(real, names, command);
        history.push(...did);
        const state = await look();
        note(imbalancesOf(state));
        // After the first difference the two have different pasts, and comparing them says nothing more.
        if (noticed.has("model")) continue;
        const should = await drive(expected, names, command);
        const alike = [loosened(did), asOf(state, real.nowMs())];
        if (!isDeepStrictEqual(plain(alike), plain([loosened(should), asOf(model.state, real.nowMs())])))
          noticed.add("model");
      }
      note(violationsOf({ state: await look(), history }));
      await rest(real, names);
      note(heldAtRest(await look()).map((text) => `I6 ${text}`));
    } catch (error) {
      noticed.add(refusalOf(error));
    } finally {
      await rest(real, names).catch(() => undefined);
      clockMs = Math.ceil(real.nowMs() / DAY_MS + 2) * DAY_MS;
    }
    return noticed;
  };
}

/** Violations begin with the name of the check that found them. */
export const checkOf = (violation: string): string => violation.split(" ")[0] ?? "";

/** The constraint, or the SQLSTATE where there is none; `invariant` if the gateway does not believe the answer. */
export function refusalOf(error: unknown): string {
  if (error instanceof Error && error.message.startsWith("invariant broken:")) return "invariant";
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code === undefined) throw error;
  return constraint ?? code;
}

/** Rows of a driver have another prototype than objects written here, which is no difference. */
export function plain(value: unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, plain(item)]));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Date || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, plain(item)]),
  );
}
