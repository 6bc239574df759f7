import { sqlStateOf } from "../../db/database-error.ts";
import type { Queryable } from "../../db/database.ts";
import type { Verification, VerificationStore } from "./verification.ts";

type Row = Omit<Verification, "startedAtMs"> & { startedAt: Date };

const SELECT = `
  select id, started_at as "startedAt", took_ms::float8 as "tookMs", actor, key_id as "keyId", recompute, keys::float8 as keys,
         counters::float8 as counters, holds::float8 as holds, quarantined::float8 as quarantined, charges::float8 as charges,
         fundings::float8 as fundings, recomputed::float8 as recomputed, mismatches::float8 as mismatches, truncated
    from verification`;

/** A role that may only read, and a server that takes no writes. */
const MAY_NOT_WRITE = new Set(["42501", "25006"]);

export const createVerificationStore = (queryable: Queryable): VerificationStore => ({
  keep: async (one) => {
    const values = [
      one.id,
      new Date(one.startedAtMs),
      Math.round(one.tookMs),
      one.actor.slice(0, 320),
      one.keyId,
      one.recompute,
      one.keys,
      one.counters,
      one.holds,
      one.quarantined,
      one.charges,
      one.fundings,
      one.recomputed,
      one.mismatches,
      one.truncated,
    ];
    return queryable
      .query(
        `insert into verification (id, started_at, took_ms, actor, key_id, recompute, keys, counters, holds, quarantined, charges,
                                   fundings, recomputed, mismatches, truncated)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
        values,
      )
      .then(() => "kept" as const)
      .catch((error: unknown) => {
        if (MAY_NOT_WRITE.has(sqlStateOf(error) ?? "")) return "not_allowed" as const;
        throw error;
      });
  },

  recent: async (limit) => {
    const [whole] = await queryable.query<Row>(`${SELECT} where key_id is null order by started_at desc limit 1`);
    const recent = await queryable.query<Row>(`${SELECT} order by started_at desc limit $1`, [limit]);
    return { whole: whole === undefined ? null : verificationOf(whole), recent: recent.map(verificationOf) };
  },
});

const verificationOf = ({ startedAt, ...row }: Row): Verification => ({ ...row, startedAtMs: startedAt.getTime() });
