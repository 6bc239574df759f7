import type { Unit } from "../../core/money/amount.ts";
import type { By } from "../../core/people/by.ts";
import { requestIdOf } from "../../core/ids.ts";
import { type Keyset, type Page, pageOf, type PageRequest, readCursor, UUID } from "../../core/page.ts";
import {
  fixFor,
  type QuarantinedHold,
  type QuarantineStore,
  type Released,
  type ReleaseEnd,
} from "../../ledger/duties/quarantine.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import { readRequestId } from "../find/read-request-id.ts";

/** A request that could not be ended. Amounts are in the unit of its key; without one, in tokens. */
export type QuarantinedRequest = {
  requestId: string;
  keyId: string;
  unit: Unit | null;
  reserved: bigint;
  /** What the request would be charged: the price at its last checkpoint. */
  wouldCharge: bigint;
  model: string;
  admittedAtMs: number;
  sinceMs: number;
  sqlstate: string;
  reason: string;
  fix: string;
};

export type ReleasedRequest = {
  requestId: string;
  result: Released["result"];
  unit: Unit | null;
  charged: bigint | null;
  sqlstate: string | null;
  reason: string | null;
  fix: string | null;
};

export type Quarantine = Page<QuarantinedRequest> & { total: number };

/** What operators do with holds that the sweep could not end. */
export type ManageQuarantine = {
  /** Those that have waited longest first. */
  list: (page: PageRequest) => Promise<Quarantine>;
  release: (requestId: string, end: ReleaseEnd, by: By) => Promise<ReleasedRequest>;
};

const LONGEST_WAIT_FIRST: Keyset = { list: "quarantine", values: [/^\d{1,18}$/, UUID] };

/** Results that changed something. */
const ENDED: ReadonlySet<string> = new Set<Released["result"]>(["charged", "voided"]);

type Parts = { store: QuarantineStore; events: Pick<OperatorEvents, "holdReleased"> };

export const createManageQuarantine = ({ store, events }: Parts): ManageQuarantine => ({
  list: async ({ limit, after }) => {
    const [sinceUs, id] = readCursor(LONGEST_WAIT_FIRST, after) ?? [];
    const last = sinceUs === undefined || id === undefined ? null : { sinceUs: BigInt(sinceUs), id };
    const { holds, total } = await store.list({ limit: limit + 1, after: last });
    const valuesOf = (hold: QuarantinedHold): string[] => [String(hold.sinceUs), hold.id];
    const { data, next } = pageOf(holds, { limit, list: LONGEST_WAIT_FIRST.list, valuesOf });
    return { data: data.map(requestOf), next, total };
  },
  release: async (requestId, end, by) => {
    const id = readRequestId(requestId);
    const { result, unit, charged, code, reason } = await store.release(id, { end, actor: by.actor });
    const released = requestIdOf(id);
    if (ENDED.has(result)) events.holdReleased({ released, result, ...by });
    const fix = code === null ? null : fixFor({ code, reason: reason ?? "" });
    return { requestId: released, result, unit, charged, sqlstate: code, reason, fix };
  },
});

const requestOf = (hold: QuarantinedHold): QuarantinedRequest => ({
  requestId: requestIdOf(hold.id),
  keyId: hold.keyId,
  unit: hold.unit,
  reserved: hold.amount,
  wouldCharge: hold.cost,
  model: hold.model,
  admittedAtMs: hold.admittedAt.getTime(),
  sinceMs: hold.since.getTime(),
  sqlstate: hold.code,
  reason: hold.reason,
  fix: fixFor(hold),
});
