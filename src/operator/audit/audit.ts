import type { AuditEntry, AuditFilter, AuditOutcome, AuditStore } from "../../audit/audit.ts";
import type { By } from "../../core/people/by.ts";
import { Fault } from "../../core/fault.ts";
import { type Keyset, type Page, pageOf, type PageRequest, readCursor, UUID } from "../../core/page.ts";
import type { FindAccount } from "../find/find-account.ts";
import { accountWithin } from "../find/find-within.ts";

export type { AuditEntry, AuditOutcome };

/** Which entries. Null: whatever it is. `oldest`: as they happened, for an export. */
export type AskedAudit = PageRequest & {
  actor: string | null;
  action: string | null;
  outcome: AuditOutcome | null;
  /** Its id, or how people called it then. */
  resource: string | null;
  /** An account and all below it, by its id or the names from the root down. */
  account: string | null;
  fromMs: number | null;
  toMs: number | null;
  order: "newest" | "oldest";
  /** In a list, a long document is left to `show`. */
  documents: "whole" | "short";
};

/** How operators read the audit log. Whoever sees a part of the accounts sees what touched these. */
export type ReadAudit = {
  list: (asked: AskedAudit, by: Pick<By, "within">) => Promise<Page<AuditEntry>>;
  show: (id: string, by: Pick<By, "within">) => Promise<AuditEntry>;
};

type Parts = { store: Pick<AuditStore, "list">; findAccount: FindAccount };

const IN_TIME: Keyset = { list: "audit", values: [/^\d{1,18}$/, /^\d{1,18}$/] };
const ALL: AuditFilter = {
  id: null,
  actor: null,
  action: null,
  outcome: null,
  resource: null,
  accountId: null,
  fromMs: null,
  toMs: null,
  within: null,
};

export const createReadAudit = ({ store, findAccount }: Parts): ReadAudit => ({
  list: async ({ limit, after, order, documents, account, ...filter }, { within }) => {
    const [atUs, no] = readCursor(IN_TIME, after) ?? [];
    const last = atUs === undefined || no === undefined ? null : { atUs: BigInt(atUs), no: BigInt(no) };
    const accountId = account === null ? null : (await accountWithin(findAccount, { name: account, within })).id;
    const page = { limit: limit + 1, after: last, order, documents };
    const rows = await store.list({ ...ALL, ...filter, accountId, within: within ?? null }, page);
    return pageOf(rows, { limit, list: IN_TIME.list, valuesOf: ({ place }) => [String(place.atUs), String(place.no)] });
  },
  show: async (id, { within = null }) => {
    const page = { limit: 1, after: null, order: "newest", documents: "whole" } as const;
    const [entry] = UUID.test(id) ? await store.list({ ...ALL, id, within }, page) : [];
    if (entry === undefined)
      throw new Fault("not_found", "The audit log has no entry with this id. List the entries to find it.");
    return entry;
  },
});
