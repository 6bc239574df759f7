import type { Via } from "../core/people/by.ts";
import type { Json } from "../core/bytes/json.ts";

export const AUDIT_OUTCOMES = ["done", "refused", "failed"] as const;
/** `unknown`: it was cut short between its beginning and its end. */
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number] | "unknown";

export type AuditResource = {
  kind: string;
  /** Null: there is none yet, or there are many. */
  id: string | null;
  /** How people call it. */
  name: string | null;
};

/** What is written before a change. */
export type AuditBeginning = {
  id: string;
  actor: string;
  personId: string | null;
  via: Via | null;
  address: string | null;
  requestId: string | null;
  action: string;
  resource: AuditResource;
  /** The accounts that it stands under, from the root down. */
  accountIds: readonly string[];
  /** JSON in a text, within its limit. */
  asked: string | null;
  before: string | null;
};

/** What is written after it. */
export type AuditEnd = {
  outcome: (typeof AUDIT_OUTCOMES)[number];
  /** What was refused, as the API names it. */
  code: string | null;
  resource: Omit<AuditResource, "kind"> | null;
  accountIds: readonly string[];
  after: string | null;
};

/** Many of the same, which were refused before anybody looked at what they wanted. */
export type AuditRefusal = Omit<AuditBeginning, "asked" | "before" | "accountIds"> & {
  code: string;
  count: number;
  asked: string | null;
};

export type AuditEntry = Omit<AuditBeginning, "asked" | "before"> & {
  atMs: number;
  outcome: AuditOutcome;
  code: string | null;
  count: number;
  asked: Json | null;
  before: Json | null;
  after: Json | null;
  endedAtMs: number | null;
};

/** Null: whatever it is. */
export type AuditFilter = {
  id: string | null;
  actor: string | null;
  action: string | null;
  outcome: AuditOutcome | null;
  /** By id or by name. */
  resource: string | null;
  accountId: string | null;
  fromMs: number | null;
  toMs: number | null;
  /** Only what touches these accounts and what is below them. */
  within: readonly string[] | null;
};

/** What entries are sorted by: their time in microseconds, and their number. */
export type AuditPlace = { atUs: bigint; no: bigint };

/** Where the audit log is kept. Rows are added, never changed. */
export type AuditStore = {
  begin: (entry: AuditBeginning) => Promise<void>;
  end: (id: string, end: AuditEnd) => Promise<void>;
  refused: (refusals: readonly AuditRefusal[]) => Promise<void>;
  /** Newest first, or oldest first. */
  list: (
    filter: AuditFilter,
    page: { limit: number; after: AuditPlace | null; order: "newest" | "oldest"; documents: "whole" | "short" },
  ) => Promise<(AuditEntry & { place: AuditPlace })[]>;
};
