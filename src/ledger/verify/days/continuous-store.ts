import { sqlStateOf } from "../../../db/database-error.ts";
import type { Queryable } from "../../../db/database.ts";
import type { Continuous, ListedDay } from "../verification.ts";
import { readVerificationState } from "./day-store.ts";
import { nameOf } from "./verified-day.ts";

const MOST_DAYS = 100;
const MOST_LISTED = 200;
/** Of a role that may only read, which may call no function. */
const MAY_NOT_CALL = "42501";

const LISTED = `
  select number, charges::float8 as charges, encode(digest, 'hex') as digest, verified_at as "lookedAt", took_ms::float8 as "tookMs",
         greatest(mismatches, coalesce((pass ->> 'mismatches')::bigint, 0))::float8 as mismatches, pass is not null as "inProgress",
         case when pass is null then found else pass -> 'found' end as found
    from (select *, row_number() over (order by number desc) as place from verify_days_v1()) d
   where place <= ${MOST_DAYS} or mismatches > 0 order by number desc limit ${MOST_LISTED}`;

type Row = Omit<ListedDay, "day" | "lookedAtMs"> & { number: number; lookedAt: Date | null };

/** What gateways have verified by themselves; null for a role that may not read it. */
export const createReadContinuous =
  (queryable: Queryable): (() => Promise<Continuous | null>) =>
  async () => {
    try {
      const state = await readVerificationState(queryable);
      const rows = await queryable.query<Row>(LISTED);
      const listed = rows.map(({ number, lookedAt, ...row }) => ({
        ...row,
        day: nameOf(number),
        lookedAtMs: lookedAt?.getTime() ?? null,
      }));
      return { ...state, listed };
    } catch (error) {
      if (sqlStateOf(error) === MAY_NOT_CALL) return null;
      throw error;
    }
  };
