import { createAuditStore } from "../../audit/audit-store.ts";
import { createDoorRefusals, type DoorRefusals } from "../../audit/refusals.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";

const EVERY_MS = 1_000;

type Parts = { database: Database; clock: Pick<Clock, "nowMs">; events: Pick<OperatorEvents, "auditEndLost"> };

/** Writes into the audit log who was refused at the door of operators: one statement a second at most, and none while nobody is. */
export function startDoorRefusals({ database, clock, events }: Parts) {
  const by = { actor: "anonymous" };
  const refusals = createDoorRefusals({
    store: createAuditStore(database),
    clock,
    onLost: (error) => events.auditEndLost(error, { action: "door.refused", ...by }),
  });
  let writing = Promise.resolve();
  const write = (which: "due" | "all"): Promise<void> => (writing = writing.then(() => refusals.flush(which)));
  const timer = setInterval(() => void write("due"), EVERY_MS);
  timer.unref();
  return {
    note: refusals.note satisfies DoorRefusals["note"],
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await write("all");
    },
  };
}
