import fc from "fast-check";
import type { Database } from "../../src/db/database.ts";
import { type Command, commandSequence, OPENING } from "./commands.ts";
import { checkOf, createObservation } from "./observe.ts";
import { createRollupPlay, installGate, type RollupStep, rollupSteps } from "./rollup-story.ts";

export type BrokenSql = {
  name: string;
  /** An invariant by its name, `model` when only the model can tell, `invariant` if the gateway does, or the rule of the database that refuses. */
  caughtBy: string;
  fn: string;
  from: string;
  to: string;
  /** What else has to be wrong for it to be tried at all. */
  also?: string;
  /** A way to come across it that chance takes long to find. */
  scene?: readonly Command[];
  /** The same for what is wrong with the sums of hours. */
  rollups?: readonly RollupStep[];
  /** Wrong outside of any sequence of calls; answers the checks that have something to say. */
  trial?: (database: Database) => Promise<string[]>;
};

/** Answers false when the function does not say what was to be changed. */
export async function breakSql(database: Database, { fn, from, to, also }: BrokenSql): Promise<boolean> {
  const [row] = await database.query<{ text: string }>("select pg_get_functiondef($1::regproc) as text", [fn]);
  if (!row?.text.includes(from)) return false;
  if (also !== undefined) await database.script(also);
  await database.script(row.text.replaceAll(from, to));
  return true;
}

/** The checks that notice; it stops when the one that is meant does, or after `runs`. */
export async function noticedInSql(
  database: Database,
  {
    caughtBy,
    scene,
    rollups,
    trial,
    runs,
  }: Pick<BrokenSql, "caughtBy" | "scene" | "rollups" | "trial"> & { runs: number },
): Promise<Set<string>> {
  if (trial) return new Set(await trial(database));
  const noticed = new Set<string>();
  if (rollups) await installGate(database);
  const watch = rollups ? watchRollups(database) : watchSequences(database);
  const property = watch((found) => {
    for (const check of found) noticed.add(check);
    return !noticed.has(caughtBy);
  });
  const examples: [unknown][] = rollups ? [[rollups]] : scene ? [[[...OPENING, ...scene]]] : [];
  await fc.check(property, { seed: 11, numRuns: runs, endOnFailure: true, examples });
  return noticed;
}

type Watch = (goOn: (found: Iterable<string>) => boolean) => fc.IAsyncPropertyWithHooks<[unknown]>;

function watchSequences(database: Database): Watch {
  const observe = createObservation(database);
  return (goOn) => fc.asyncProperty(commandSequence(40), async (commands) => goOn(await observe(commands)));
}

function watchRollups(database: Database): Watch {
  const play = createRollupPlay(database);
  return (goOn) => fc.asyncProperty(rollupSteps, async (steps) => goOn((await play(steps)).map(checkOf)));
}
