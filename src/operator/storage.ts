import type { By } from "../core/people/by.ts";
import type { JournalDays, Partitions, RepairedDay, RepairStep } from "../ledger/duties/partitions.ts";
import type { PeriodAhead, RepairPeriods } from "../ledger/duties/period-repair.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";

export type { JournalDays, PeriodAhead, RepairedDay };

/** Which server it is, and which one the books were last on. `needed` is false when it has the books already. */
export type Adoption = {
  standing: {
    identifier: bigint;
    timeline: number;
    booked: { identifier: bigint | null; timeline: number | null; supersededBy: number | null } | null;
  };
  needed: boolean;
  adopted: boolean;
};

/** Where the books lie, for whoever has the database itself. */
export type ManageStorage = {
  listDays: () => Promise<JournalDays>;
  /** Gives a day (UTC, yyyy-mm-dd) that lies in the default partition one of its own. */
  repairDay: (day: string, onStep: (step: RepairStep) => void, by: By) => Promise<RepairedDay>;
  /** Says that the books are on this server now. Without `apply` it is only looked at. */
  adopt: (how: { apply: boolean }, by: By) => Promise<Adoption>;
  /** Brings limits in a period that is far ahead back to that of the clock. Without `apply` they are only looked at. */
  repairPeriods: (how: { apply: boolean }, by: By) => Promise<PeriodAhead[]>;
};

type Parts = {
  partitions: Partitions;
  adopt: (how: { apply: boolean }) => Promise<Adoption>;
  repairPeriods: RepairPeriods;
  events: Pick<OperatorEvents, "journalDayMoved" | "booksAdopted" | "limitBroughtBack">;
};

export const createManageStorage = ({ partitions, adopt, repairPeriods, events }: Parts): ManageStorage => ({
  listDays: partitions.list,
  repairDay: async (day, onStep, by) => {
    const repaired = await partitions.repair(day, onStep);
    const { result, charges } = repaired;
    if (result !== "present") events.journalDayMoved({ day, charges, ...by });
    return repaired;
  },
  adopt: async (how, by) => {
    const adoption = await adopt(how);
    const { identifier, timeline } = adoption.standing;
    if (adoption.adopted) events.booksAdopted({ systemIdentifier: String(identifier), timeline, ...by });
    return adoption;
  },
  repairPeriods: async ({ apply }, by) => {
    const limits = await repairPeriods({ apply, actor: by.actor });
    for (const { counter, result } of limits)
      if (result === "brought_back") events.limitBroughtBack({ counter, ...by });
    return limits;
  },
});
