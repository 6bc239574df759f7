import type { By } from "../../core/people/by.ts";
import type { Clock } from "../../core/clock.ts";
import { createId } from "../../core/ids.ts";
import type { PageRequest } from "../../core/page.ts";
import type { ClosedPurse, ClosedPurses } from "../../ledger/structure/closed-purse.ts";
import type { Journal, ShowJournal } from "../../ledger/report/journal.ts";
import type { ListServed, ServedCharge } from "../../ledger/report/served-charges.ts";
import type { Outstanding, ReadOutstanding } from "../../ledger/report/outstanding.ts";
import type { Continuous, Verification, VerificationStore } from "../../ledger/verify/verification.ts";
import type { OnProgress, VerifyLedger, VerifyReport } from "../../ledger/verify/verify.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import { type Holder, type HolderNames, type NamedHolder, nameHolder } from "../find/holder.ts";

export type { ListServed, ServedCharge };

/** The journal of a key or an account, and which it is. */
export type NamedJournal = Journal & NamedHolder;

/** `closed` are the first of the closed purses that have something. */
export type OutstandingCredit = Omit<Outstanding, "closed"> & {
  closed: Outstanding["closed"] & { listed: readonly ClosedPurse[] };
};

/** How operators read the books. A key is named by its id or its prefix, an account by its id or the names from the root down. */
export type ReadBooks = {
  /** Newest first. */
  journal: (of: Holder, page: PageRequest) => Promise<NamedJournal>;
  /** What a day's requests used at providers, for those who compare it with bills. */
  listCharges: ListServed;
  /** The credit in all purses, or in those that a lead may see. */
  showOutstanding: (by: Pick<By, "within">) => Promise<OutstandingCredit>;
  /** Recomputes every counter from the journal, or those of one key; with `recompute`, every amount from its price, too. */
  verify: (asked: { key: string | null; recompute: boolean }, by: By, onProgress?: OnProgress) => Promise<VerifyReport>;
  /** When the ledger was verified last, by whom, and how many figures differed; and what gateways have verified by themselves. */
  listVerifications: () => Promise<{
    whole: Verification | null;
    recent: readonly Verification[];
    /** Null: it may not be read. */
    continuous: Continuous | null;
  }>;
};

type Parts = HolderNames & {
  showJournal: ShowJournal;
  listServed: ListServed;
  readOutstanding: ReadOutstanding;
  closedPurses: Pick<ClosedPurses, "list">;
  verifyLedger: VerifyLedger;
  verifications: VerificationStore;
  readContinuous: () => Promise<Continuous | null>;
  clock: Pick<Clock, "nowMs" | "elapsedMs">;
  events: Pick<OperatorEvents, "verificationLost">;
};

const MOST_RECENT = 20;
const MOST_CLOSED = 100;

export const createReadBooks = ({
  showJournal,
  listServed,
  readOutstanding,
  closedPurses,
  verifyLedger,
  verifications,
  readContinuous,
  clock,
  events,
  ...names
}: Parts): ReadBooks => ({
  journal: async (of, page) => {
    const { kind, id, named } = await nameHolder(names, of);
    return { ...named, ...(await showJournal({ kind, id }, page)) };
  },
  listCharges: listServed,
  showOutstanding: async ({ within = null }) => {
    const { closed, ...open } = await readOutstanding(within);
    return { ...open, closed: { ...closed, listed: await closedPurses.list(within, MOST_CLOSED) } };
  },
  verify: async ({ key, recompute }, by, onProgress = () => undefined) => {
    const keyId = key === null ? null : (await names.findKey(key)).id;
    const [startedAtMs, sinceMs] = [clock.nowMs(), clock.elapsedMs()];
    const report = await verifyLedger({ keyId, recompute }, onProgress);
    const { ok: _, mismatches, ...counts } = report;
    const tookMs = clock.elapsedMs() - sinceMs;
    const id = createId(startedAtMs);
    const kept = {
      ...counts,
      id,
      startedAtMs,
      tookMs,
      actor: by.actor,
      keyId,
      recompute,
      mismatches: mismatches.length,
    };
    // What was found out is told, whether or not it can be written down.
    await verifications.keep(kept).catch((error: unknown) => events.verificationLost(error, by));
    return report;
  },
  listVerifications: async () => ({
    ...(await verifications.recent(MOST_RECENT)),
    continuous: await readContinuous(),
  }),
});
