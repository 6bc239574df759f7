import { type Check, ok, skipped, warning } from "../check.ts";
import { readLedgerFacts } from "../facts-store.ts";
import { inNumbers } from "../figures.ts";
import { databaseOf } from "../patient.ts";

const HOUR_MS = 3_600_000;

/** What background tasks leave behind when they do not run. */
export const LEDGER_CHECKS: readonly Check[] = [
  {
    id: "ledger-sweep",
    title: "sweep",
    finds: "Reservations of ended processes or overdue requests have waited for the sweep for 2 minutes.",
    fix: "Start a gateway, or look for the log line `background task failed` with duty sweep.",
    after: ["database-role"],
    run: async (patient) => {
      const { gateways, unswept } = await readLedgerFacts(databaseOf(patient));
      const running = gateways === 1 ? "1 gateway runs" : `${inNumbers(gateways)} gateways run`;
      return unswept === 0
        ? ok(`nothing waits; ${running}`)
        : warning(`${inNumbers(unswept, "reservation")} not swept for 2 minutes; ${running}`);
    },
  },
  {
    id: "ledger-quarantine",
    title: "quarantine",
    finds: "A request could not be ended, and its credits stay reserved.",
    fix: "Run `tollgate ledger quarantine list`, then `tollgate ledger quarantine release REQUEST`.",
    after: ["database-role"],
    run: async (patient) => {
      const { quarantined } = await readLedgerFacts(databaseOf(patient));
      return quarantined === 0 ? ok("empty") : warning(`${inNumbers(quarantined, "request")} in quarantine`);
    },
  },
  {
    id: "ledger-sums",
    title: "hourly sums",
    finds: "The usage sum of an hour is more than 3 hours late.",
    fix: "Start a gateway, or look for the log line `background task failed` with duty rollup.",
    after: ["database-role"],
    run: async (patient) => {
      const { oldestOwed } = await readLedgerFacts(databaseOf(patient));
      if (oldestOwed === null) return ok("up to date");
      const hours = Math.floor((patient.nowMs() - oldestOwed.getTime()) / HOUR_MS);
      return warning(`the sum of ${oldestOwed.toISOString().slice(0, 13)}:00 UTC is ${inNumbers(hours, "hour")} late`);
    },
  },
  {
    id: "ledger-partitions",
    title: "partitions",
    finds:
      "Today or one of the next 2 days has no partition though a gateway runs, or charges lie in the default partition.",
    fix: "Run `tollgate ledger partitions`, then `tollgate ledger partitions --repair DAY` as the owner of the tables.",
    after: ["database-role"],
    run: async (patient) => {
      const { gateways, misplaced, unpartitioned } = await readLedgerFacts(databaseOf(patient));
      if (misplaced > 0) return warning(`${inNumbers(misplaced, "charge")} in the default partition`);
      if (unpartitioned.length === 0) return ok("today and the next 2 days have theirs");
      if (gateways === 0) return skipped("a gateway creates them when it starts; none is running");
      return warning(
        `missing for ${unpartitioned.join(", ")}`,
        "Look for the log line `background task failed` with duty partition. A long transaction of another role can be in the way.",
      );
    },
  },
];
