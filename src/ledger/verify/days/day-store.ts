import { invariant } from "../../../core/invariant.ts";
import type { Queryable } from "../../../db/database.ts";
import { recomputeRange } from "../recompute-store.ts";
import type { Mismatch } from "../verify-fold.ts";
import { chunkOf } from "../verify-checks-store.ts";
import { COUNTS_TOKENS } from "../verify-store.ts";
import { createRollupCheck } from "../verify-rollups-store.ts";
import type { Cursor } from "../verify.ts";
import {
  type DayPiece,
  type DayStore,
  type DaySum,
  nameOf,
  type Pass,
  startOf,
  type VerificationState,
  type VerifiedDay,
} from "./verified-day.ts";

/** About a tenth of a second of work. */
const ROWS_AT_ONCE = 5_000;
/** What is kept of mismatches; how many there are is counted. */
const MOST_FOUND = 20;

/**
 * Everything a row says, as text that no setting of a session changes. A column that is added later stands behind it, and only where it says
 * something, so that rows of before keep their digests.
 */
const ROW = `row(c.hold_id, extract(epoch from c.admitted_at), extract(epoch from c.at), c.xid, c.granted_credits, c.granted_tokens, c.credits,
  c.tokens, c.key_no, c.chain, c.model, c.price_version, c.input, c.cache_read, c.cache_write, c.cache_write_1h, c.output, c.reasoning,
  c.took_ms, c.first_byte_ms, c.provider, c.status, c.kind, c.estimated, c.reported, c.tools::text, encode(c.digest, 'hex'))::text
  || case when c.served is null and c.more is null then '' else row(c.served, c.more::text)::text end`;

/** Values: from, before, limit, the end of what is final, the end of what was final last time. */
const PIECE = `
  with piece as materialized (
    select c.* from charge c where c.hold_id >= $1::uuid and c.hold_id < $2::uuid order by c.hold_id limit $3::int
  )
  select count(*)::int as rows, (array_agg(c.hold_id order by c.hold_id desc))[1] as last,
         coalesce(string_agg(encode(sha256(convert_to(${ROW}, 'utf8')), 'hex') || case when c.at < $5::timestamptz then '+' else '-' end, ''
                             order by c.hold_id) filter (where c.at < $4::timestamptz), '') as digests
    from piece c`;
const DIGEST_LENGTH = 64;

/** Values: from, last, the end of what is final. */
const SUMS = `
  select c.chain, c.key_no, (c.admitted_at at time zone 'UTC')::date - date '1970-01-01' as admitted, count(*)::text as charges,
         (count(*) filter (where c.kind in (1, 3, 4)))::text as requests, coalesce(sum(c.credits), 0)::text as credits,
         coalesce(sum(c.tokens), 0)::text as tokens, coalesce(sum(c.input) filter (where ${COUNTS_TOKENS}), 0)::text as input,
         coalesce(sum(c.output) filter (where ${COUNTS_TOKENS}), 0)::text as output
    from charge c where c.hold_id >= $1::uuid and c.hold_id <= $2::uuid and c.at < $3::timestamptz group by 1, 2, 3`;

const DAYS = `
  select number, until, charges::float8 as charges, encode(digest, 'hex') as digest, verified_at as "verifiedAt",
         took_ms::float8 as "tookMs", mismatches::float8 as mismatches, found, pass
    from verify_days_v1()`;

const STATE = `
  select verified_at as "verifiedAt", mismatches::float8 as mismatches, found, days::float8 as days, pending::float8 as pending, oldest
    from verify_state_v1()`;

type DayRow = Omit<VerifiedDay, "verifiedAtMs" | "untilMs"> & {
  until: Date | number;
  verifiedAt: Date | null;
};
type StateRow = Omit<VerificationState, "verifiedAtMs" | "oldestMs"> & { verifiedAt: Date | null; oldest: Date | null };

const NEVER = "-infinity";

/** `queryable` reads charges, and may take its time; `own` is for what is kept, in statements of one row. */
export function createDayStore(queryable: Queryable, own: Queryable = queryable): DayStore {
  const rollups = createRollupCheck(queryable);
  return {
    takeTurn: async (processId, forMs) => {
      const [row] = await own.query<{ mine: boolean }>("select verify_turn_v1($1, $2) as mine", [processId, forMs]);
      return row?.mine ?? false;
    },
    days: async () => {
      const rows = await own.query<DayRow>(DAYS);
      const days = rows.map(({ until, verifiedAt, ...row }) => ({
        ...row,
        untilMs: until instanceof Date ? until.getTime() : until,
        verifiedAtMs: verifiedAt?.getTime() ?? null,
      }));
      const [clock] = await own.query<{ now: Date }>("select ledger_now() as now");
      invariant(clock, "the clock of the ledger answers");
      return { nowMs: clock.now.getTime(), days };
    },
    state: () => readVerificationState(own),
    piece: async ({ from, before }, { nowMs, beforeMs }) => {
      const untils = [new Date(nowMs), beforeMs === null ? NEVER : new Date(beforeMs)];
      const values = [from, before, ROWS_AT_ONCE, ...untils];
      const [row] = await queryable.query<{ rows: number; last: string | null; digests: string }>(PIECE, values);
      invariant(row, "a piece is answered even when it is empty");
      return { rows: row.rows, last: row.last, digests: digestsOf(row.digests) };
    },
    sums: ({ from, last }, untilMs) => queryable.query<DaySum>(SUMS, [from, last, new Date(untilMs)]),
    recompute: async (range) => chunkOf(await recomputeRange(queryable, range), Infinity).rows,
    usageSums: async (day) => {
      const found: Mismatch[] = [];
      const last = new Date(startOf(day + 1)).toISOString();
      for (
        let after: Cursor | null = [new Date(startOf(day)).toISOString()];
        after !== null && String(after[0]) < last;
      ) {
        const { rows, next } = await rollups(after);
        // It may have looked beyond the day, which has a look of its own.
        found.push(...rows.filter(({ column }) => column.includes(` of ${nameOf(day)}`)));
        after = next;
      }
      return found;
    },
    ...createWrites(own),
  };
}

type Writes = Pick<DayStore, "keepPass" | "endLook" | "endRound">;

/** Each fails for a process that has lost its turn. */
function createWrites(own: Queryable): Writes {
  return {
    keepPass: async (processId, day, pass) => {
      await own.query("select verify_pass_v1($1, $2, $3::jsonb)", [processId, day, JSON.stringify(shortened(pass))]);
    },
    endLook: async (processId, day, { beganMs, tookMs, mismatches, found, kept }) => {
      await own.query("select verify_day_v1($1, $2, $3, $4, $5, $6::jsonb, $7, $8, decode($9, 'hex'), $10::jsonb)", [
        processId,
        day,
        new Date(beganMs),
        Math.round(tookMs),
        mismatches,
        JSON.stringify(found.slice(0, MOST_FOUND)),
        kept === null ? null : new Date(kept.untilMs),
        kept?.charges ?? null,
        kept?.digest ?? null,
        JSON.stringify(kept?.sums ?? []),
      ]);
    },
    endRound: async (processId, { verifiedAtMs, mismatches, found }) => {
      await own.query("select verify_round_v1($1, $2, $3, $4::jsonb)", [
        processId,
        verifiedAtMs === null ? null : new Date(verifiedAtMs),
        mismatches,
        JSON.stringify(found.slice(0, MOST_FOUND)),
      ]);
    },
  };
}

export async function readVerificationState(queryable: Queryable): Promise<VerificationState> {
  const [row] = await queryable.query<StateRow>(STATE);
  invariant(row, "the state of the verification has a row");
  const { verifiedAt, oldest, ...state } = row;
  return { ...state, verifiedAtMs: verifiedAt?.getTime() ?? null, oldestMs: oldest?.getTime() ?? null };
}

const shortened = (pass: Pass): Pass => ({ ...pass, found: pass.found.slice(0, MOST_FOUND) });

function digestsOf(text: string): DayPiece["digests"] {
  const width = DIGEST_LENGTH + 1;
  return Array.from({ length: text.length / width }, (_, n) => ({
    digest: text.slice(n * width, n * width + DIGEST_LENGTH),
    before: text[n * width + DIGEST_LENGTH] === "+",
  }));
}
