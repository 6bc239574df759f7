import { createAuditStore } from "../audit/audit-store.ts";
import type { Clock } from "../core/clock.ts";
import { adopt } from "../db/line/adopt-line.ts";
import type { Database } from "../db/database.ts";
import { createRepairPeriods } from "../ledger/duties/period-repair-store.ts";
import { createPartitions } from "../ledger/duties/partitions-store.ts";
import { auditedStorage } from "../contract/audit-table.ts";
import { createManageStorage, type ManageStorage } from "../operator/storage.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";

type Parts = { database: Database; events: OperatorEvents; clock: Clock; pause: () => Promise<void> };

/** Where the books lie, for the owner of the tables; `pause` waits between two tries for a lock. */
export function createStorage({ database, events, clock, pause }: Parts): ManageStorage {
  const storage = createManageStorage({
    partitions: createPartitions({ database, clock, pause }),
    adopt: (how) => adopt(database, how),
    repairPeriods: createRepairPeriods(database),
    events,
  });
  return auditedStorage(storage, { store: createAuditStore(database), events, clock });
}
