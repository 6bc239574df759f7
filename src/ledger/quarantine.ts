import { Fault } from "../core/fault.ts";
import { requestIdOf } from "../core/ids.ts";
import { formatAmount, type Unit } from "./account.ts";

/** A hold that the sweep could not end, and why. */
export type QuarantineRow = {
  id: string;
  keyId: string;
  unit: Unit | null;
  amount: bigint;
  cost: bigint;
  model: string;
  admittedAt: Date;
  since: Date;
  /** The SQLSTATE of what refused. */
  code: string;
  reason: string;
};

/** `ended_before`: whoever held it has ended it meanwhile. `refused`: it cannot be ended this way, for the reason given. */
export type Released = {
  result: "charged" | "voided" | "refused" | "ended_before" | "not_quarantined";
  unit: Unit | null;
  charged: bigint | null;
  code: string | null;
  reason: string | null;
};

/** `charge`: at its last checkpoint, as a sweep does. `void`: at 0. */
export type ReleaseEnd = "charge" | "void";

export type QuarantineStore = {
  /** Those that have waited longest, and how many there are in all. */
  list: (limit: number) => Promise<{ holds: QuarantineRow[]; total: number }>;
  release: (id: string, how: { end: ReleaseEnd; actor: string }) => Promise<Released>;
};

/** Amounts are decimals in the key's unit, as text. */
export type QuarantinedView = {
  request_id: string;
  key_id: string;
  unit: Unit | null;
  reserved: string;
  /** What the request would be charged: the price at its last checkpoint. */
  would_charge: string;
  model: string;
  admitted_at: string;
  since: string;
  sqlstate: string;
  reason: string;
  fix: string;
};

export type ReleaseView = {
  request_id: string;
  result: Released["result"];
  charged: string | null;
  sqlstate: string | null;
  reason: string | null;
  fix: string | null;
};

/** What operators do with holds that the sweep could not end. */
export type ManageQuarantine = {
  list: (limit: number) => Promise<{ holds: QuarantinedView[]; total: number }>;
  release: (requestId: string, end: ReleaseEnd) => Promise<ReleaseView>;
};

type Parts = {
  store: QuarantineStore;
  /** Stands in the journal beside what was done. */
  actor: string;
};

export const createManageQuarantine = ({ store, actor }: Parts): ManageQuarantine => ({
  list: async (limit) => {
    const { holds, total } = await store.list(limit);
    return { holds: holds.map(viewOf), total };
  },
  release: async (requestId, end) => {
    const id = uuidOf(requestId);
    const { result, unit, charged, code, reason } = await store.release(id, { end, actor });
    return {
      request_id: requestIdOf(id),
      result,
      charged: charged === null ? null : formatAmount(unit ?? "tokens", charged),
      sqlstate: code,
      reason,
      fix: code === null ? null : fixFor({ code, reason: reason ?? "" }),
    };
  },
});

function viewOf({
  id,
  keyId,
  unit,
  amount,
  cost,
  model,
  admittedAt,
  since,
  code,
  reason,
}: QuarantineRow): QuarantinedView {
  const write = (value: bigint): string => formatAmount(unit ?? "tokens", value);
  return {
    request_id: requestIdOf(id),
    key_id: keyId,
    unit,
    reserved: write(amount),
    would_charge: write(cost),
    model,
    admitted_at: admittedAt.toISOString(),
    since: since.toISOString(),
    sqlstate: code,
    reason,
    fix: fixFor({ code, reason }),
  };
}

const UNIQUE_VIOLATION = "23505";

function fixFor({ code, reason }: { code: string; reason: string }): string {
  if (code === UNIQUE_VIOLATION && reason.includes("charge"))
    return "The request was charged already. Release it with --void: its reservation is given back, and nothing more is charged.";
  if (reason.includes('relation "balance"'))
    return "The balance of the key is damaged. Run `tollgate ledger verify --key KEY`, set the columns it names to what it expects, and release the request.";
  return "Correct what the reason names and release the request. If that is not possible, --void ends it at 0.";
}

const REQUEST_ID = /^req_([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/i;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The request as it is listed, or the UUID that it has in the database. */
function uuidOf(requestId: string): string {
  if (UUID.test(requestId)) return requestId.toLowerCase();
  const [, ...parts] = REQUEST_ID.exec(requestId) ?? [];
  if (parts.length === 0)
    throw new Fault("not_found", `${JSON.stringify(requestId)} is not the id of a request: req_ and 32 digits.`);
  return parts.join("-").toLowerCase();
}
