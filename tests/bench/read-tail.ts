import { existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import type { Subject } from "./subject.ts";
import { type Interval, type RecordedRequest, type Tail, tailOf, type TailNotes } from "./tail.ts";

/** Records are written some time after the answer. */
const WRITTEN_AFTER_MS = 5_000;

const STEPS = `select ('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint::float8 as "startMs", checked_us as checked,
  admitted_us as admitted, dispatched_us as dispatched, last_byte_us as "lastByte", settled_us as settled, closed_us as closed
  from request where code = 'ok' and not streamed and settled_us is not null and last_byte_us is not null and dispatched_us is not null`;

/** Explains the requests that came in within these times, by what the gateway recorded of each and noted of itself. */
export async function readTail(
  { databaseUrl, tailFile }: Pick<Subject, "databaseUrl" | "tailFile">,
  windows: readonly Interval[],
): Promise<Tail> {
  if (databaseUrl === undefined || tailFile === undefined) throw new Error("the gateway notes nothing of itself");
  await pause(WRITTEN_AFTER_MS);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<RecordedRequest>(STEPS);
    const within = rows.filter(({ startMs }) => windows.some(([from, to]) => startMs >= from && startMs <= to));
    return tailOf(within, notesIn(tailFile));
  } finally {
    await client.end();
  }
}

function notesIn(file: string): TailNotes {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  const all = lines.map((line) => JSON.parse(line) as TailNotes);
  return {
    collections: all.flatMap(({ collections }) => collections),
    late: all.flatMap(({ late }) => late),
    calls: all.flatMap(({ calls }) => calls),
  };
}
