import type { By } from "../core/by.ts";
import type { PageRequest } from "../core/page.ts";
import type { Journal, ShowJournal } from "../ledger/journal.ts";
import type { Outstanding, ReadOutstanding } from "../ledger/outstanding.ts";
import type { OnProgress, VerifyLedger, VerifyReport } from "../ledger/verify.ts";
import { type Holder, type HolderNames, type NamedHolder, nameHolder } from "./holder.ts";

/** The journal of a key or an account, and which it is. */
export type NamedJournal = Journal & NamedHolder;

/** How operators read the books. A key is named by its id or its prefix, an account by its id or the names from the root down. */
export type ReadBooks = {
  /** Newest first. */
  journal: (of: Holder, page: PageRequest) => Promise<NamedJournal>;
  /** The credit in all purses, or in those that a lead may see. */
  showOutstanding: (by: Pick<By, "within">) => Promise<Outstanding>;
  /** Recomputes every counter from the journal, or those of one key; with `recompute`, every amount from its price, too. */
  verify: (asked: { key: string | null; recompute: boolean }, onProgress: OnProgress) => Promise<VerifyReport>;
};

type Parts = HolderNames & {
  showJournal: ShowJournal;
  readOutstanding: ReadOutstanding;
  verifyLedger: VerifyLedger;
};

export const createReadBooks = ({ showJournal, readOutstanding, verifyLedger, ...names }: Parts): ReadBooks => ({
  journal: async (of, page) => {
    const { kind, id, named } = await nameHolder(names, of);
    return { ...named, ...(await showJournal({ kind, id }, page)) };
  },
  showOutstanding: ({ within }) => readOutstanding(within ?? null),
  verify: async ({ key, recompute }, onProgress) =>
    verifyLedger({ keyId: key === null ? null : (await names.findKey(key)).id, recompute }, onProgress),
});
