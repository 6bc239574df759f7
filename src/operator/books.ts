import type { FindAccount } from "../ledger/account.ts";
import type { Journal, ShowJournal } from "../ledger/journal.ts";
import type { PageRequest } from "../core/page.ts";
import type { OnProgress, VerifyLedger, VerifyReport } from "../ledger/verify.ts";

/** The journal of a key, and which key it is. */
export type KeyJournal = Journal & { key: { id: string; prefix: string } };

/** How operators read the books. A key is named by its id or its prefix. */
export type ReadBooks = {
  /** Newest first. */
  journal: (name: string, page: PageRequest) => Promise<KeyJournal>;
  /** Recomputes every balance from the journal, or that of one key. */
  verify: (name: string | null, onProgress: OnProgress) => Promise<VerifyReport>;
};

type Parts = { findKey: FindAccount; showJournal: ShowJournal; verifyLedger: VerifyLedger };

export const createReadBooks = ({ findKey, showJournal, verifyLedger }: Parts): ReadBooks => ({
  journal: async (name, page) => {
    const { id, prefix } = await findKey(name);
    return { key: { id, prefix }, ...(await showJournal(id, page)) };
  },
  verify: async (name, onProgress) => verifyLedger(name === null ? null : (await findKey(name)).id, onProgress),
});
