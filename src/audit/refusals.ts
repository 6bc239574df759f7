import type { By } from "../core/people/by.ts";
import type { Clock } from "../core/clock.ts";
import { createId } from "../core/ids.ts";
import type { AuditRefusal, AuditStore } from "./audit.ts";

/** Somebody who was not let in. `by` is known of a person whose role does not allow it. */
export type DoorRefusal = {
  by: By | null;
  address: string;
  requestId: string;
  code: string;
  /** Such as `GET /admin/v1/keys/{key}`: never what stood in the path. */
  operation: string;
  /** Where the code does not tell it all. Never what was sent. */
  reason?: string;
};

export type DoorRefusals = {
  note: (refusal: DoorRefusal) => void;
  /** Writes what is due: the first of each address at once, how many more there were when their minute is over. */
  flush: (which: "due" | "all") => Promise<void>;
};

type Counted = { row: AuditRefusal; minute: number; more: number; written: boolean };

const MINUTE_MS = 60_000;
/** So many are told apart in a minute; what else comes is counted together. */
const MOST_APART = 500;
/** While the database is away. */
const MOST_WAITING = 2_000;
const NOBODY = "anonymous";

type Parts = { store: Pick<AuditStore, "refused">; clock: Pick<Clock, "nowMs">; onLost: (error: unknown) => void };

/** Counts those that were refused at the door, by who and where they are, and by the minute: anybody can cause them. */
export function createDoorRefusals({ store, clock, onLost }: Parts): DoorRefusals {
  let counted = new Map<string, Counted>();
  let waiting: AuditRefusal[] = [];

  function note({ by, address, requestId, code, operation, reason }: DoorRefusal): void {
    const minute = Math.floor(clock.nowMs() / MINUTE_MS);
    const actor = by?.actor ?? NOBODY;
    const wanted = JSON.stringify([minute, address, actor, code, reason]);
    const isApart = counted.has(wanted) || counted.size < MOST_APART;
    const known = counted.get(isApart ? wanted : OTHERS);
    if (known !== undefined) return void known.more++;
    const row: AuditRefusal = {
      id: createId(clock.nowMs()),
      actor,
      personId: by?.personId ?? null,
      via: by?.via ?? null,
      address: isApart ? address.slice(0, 100) : null,
      requestId: isApart ? requestId : null,
      action: "door.refused",
      resource: { kind: "operation", id: isApart ? operation : null, name: null },
      code,
      count: 1,
      asked: isApart && reason !== undefined ? JSON.stringify({ reason: reason.slice(0, 300) }) : null,
    };
    counted.set(isApart ? wanted : OTHERS, { row, minute, more: 0, written: false });
  }

  function collect(which: "due" | "all"): void {
    const minute = Math.floor(clock.nowMs() / MINUTE_MS);
    for (const [name, one] of counted) {
      if (!one.written) waiting.push(one.row);
      one.written = true;
      if (which === "due" && one.minute === minute) continue;
      if (one.more > 0) waiting.push({ ...one.row, id: createId(clock.nowMs()), count: one.more });
      counted.delete(name);
    }
    waiting = waiting.slice(-MOST_WAITING);
  }

  return {
    note,
    flush: async (which) => {
      collect(which);
      const rows = waiting;
      waiting = [];
      await store.refused(rows).catch((error: unknown) => {
        // Ids were made before, so that what was written after all is not written twice.
        waiting = [...rows, ...waiting].slice(-MOST_WAITING);
        onLost(error);
      });
    },
  };
}

const OTHERS = "others";
