import { wasTooSlow } from "../../db/database-error.ts";
import type { Queryable } from "../../db/database.ts";
import type { MarginGroup, ReadMarginGroups } from "./margin-groups.ts";

const DAY_MS = 86_400_000;
const LEAST_MS = 60_000;

/** What tells groups apart, in the order of their columns. */
const KEY = `model, account, served, provider, step, era, peaks, "inCredits"`;

/**
 * Values: since, steps, moments, until, hours. What was given back of a charge was given after it, but for a clock that went back. A charge may come
 * long after its id was made, so that no lower bound of ids is set; `at` has an index of its own.
 */
const GIVEN =
  "(select hold_id, sum(credits)::bigint as credits from refund where at >= $1::timestamptz - interval '1 day' group by 1)";
const COLUMNS = `
  c.model, c.served, c.provider, width_bucket(c.input, $2::int[]) as step,
  width_bucket(c.admitted_at, $3::timestamptz[]) as era,
  array(select in_hours(t.hours, uuid_time(c.hold_id)) from unnest($5::text[]) with ordinality t (hours, n) order by n) as peaks, c.credits is not null as "inCredits"`;
/** Of shares that come to more than their whole nothing is left of it. */
const partsOf = (more: (part: string) => string): Readonly<Record<string, string>> => ({
  input: `greatest(0, c.input - coalesce(c.cache_read, 0) - coalesce(c.cache_write, 0)${more("input_audio")}${more("input_image")}${more("input_video")})`,
  cache_read: `greatest(0, coalesce(c.cache_read, 0)${more("cache_read_audio")})`,
  cache_write_5m: "greatest(0, coalesce(c.cache_write, 0) - coalesce(c.cache_write_1h, 0))",
  cache_write_1h: "coalesce(c.cache_write_1h, 0)",
  output: `greatest(0, c.output - least(coalesce(c.reasoning, 0), c.output)${more("output_audio")}${more("output_image")})`,
  output_reasoning: "least(coalesce(c.reasoning, 0), c.output)",
});
const PLAIN_PARTS = partsOf(() => "");
const MORE_PARTS = partsOf((part) => ` - coalesce((c.more -> 'parts' ->> '${part}')::int, 0)`);
const NAMES = Object.keys(PLAIN_PARTS);

const FROM = `
  from charge c left join ${GIVEN} g on g.hold_id = c.hold_id
 where c.at >= $1::timestamptz and c.at < $4::timestamptz and (c.credits <> 0 or c.input > 0 or c.output > 0 or c.tools is not null)`;

const NAMED = `
  m.word as model, account as "accountId", a.name as account, coalesce(s.provider, p.word) as provider, s.upstream_model as "upstreamModel",
  coalesce(s.tier, 'default') as tier, coalesce(s.region, 'any') as region, coalesce(s.said, '') as said, g.step, g.era, g.peaks, g."inCredits",
  g.requests, g.charged as "chargedNano", g.refunded as "refundedNano", ${NAMES.map((name) => `g.${name}::text`).join(", ")}`;
const JOINS = `
  left join word m on m.no = g.model left join word p on p.no = g.provider left join served s on s.no = g.served left join account a on a.id = g.account`;

const SUMS = `count(*)::bigint as requests, coalesce(sum(credits), 0)::bigint as charged, coalesce(sum(refunded), 0)::bigint as refunded`;

/** Charges of tokens in the columns of the journal alone, which is most of them. */
const PLAIN = `
  with by_chain as (
    select c.chain, ${COLUMNS}, count(*)::bigint as requests, sum(c.credits)::bigint as charged, sum(g.credits)::bigint as refunded,
           ${NAMES.map((name) => `sum(${PLAIN_PARTS[name]})::bigint as ${name}`).join(", ")}
      ${FROM} and c.tools is null and c.more is null group by 1, 2, 3, 4, 5, 6, 7, 8
  ), g as (
    select ${KEY}, sum(requests)::bigint as requests, coalesce(sum(charged), 0)::bigint as charged,
           coalesce(sum(refunded), 0)::bigint as refunded, ${NAMES.map((name) => `sum(${name}) as ${name}`).join(", ")}
      from (select h.accounts[1] as account, b.* from by_chain b left join chain h on h.id = b.chain) b group by ${KEY}
  )
  select ${NAMED}, null::jsonb as extra from g ${JOINS}`;

/** Those with more: of a group all have the same parts and tools, so that a cost has a price for all of them or for none. */
const SPECIAL = `
  with of_chain as (
    select c.chain, ${COLUMNS}, c.credits, g.credits as refunded, ${NAMES.map((name) => `${MORE_PARTS[name]} as ${name}`).join(", ")},
           coalesce(c.tools, '{}') as tools, coalesce(c.more -> 'parts', '{}') as parts
      ${FROM} and (c.tools is not null or c.more is not null)
  ), c as (
    select h.accounts[1] as account, o.* from of_chain o left join chain h on h.id = o.chain
  ), ranked as (
    select c.*, dense_rank() over (order by ${KEY}, (select string_agg(k, ' ' order by k) from jsonb_object_keys(c.tools || c.parts) k)) as place
      from c
  ), extra as (
    select place, jsonb_object_agg(part, count::text) as counts from (
      select place, part, sum(count) as count from (
        select r.place, 'tools.' || w.word as part, t.value::bigint as count
          from ranked r cross join jsonb_each_text(r.tools) t join word w on w.no = t.key::int
        union all
        select r.place, t.key, t.value::bigint from ranked r cross join jsonb_each_text(r.parts) t
      ) one group by 1, 2
    ) summed group by 1
  ), g as (
    select place, ${KEY}, ${SUMS}, ${NAMES.map((name) => `sum(${name}) as ${name}`).join(", ")} from ranked group by place, ${KEY}
  )
  select ${NAMED}, extra.counts as extra from g left join extra on extra.place = g.place ${JOINS}`;

type Row = Omit<MarginGroup, "day" | "requests" | "counts"> & {
  requests: bigint;
  extra: Record<string, string> | null;
} & Record<string, unknown>;

type Span = { fromMs: number; toMs: number };

/**
 * Two statements for each day. Where one takes longer than a statement may, the day is read in quarters, and so on: groups of the same
 * charges are then in several parts, which add up to the same.
 */
export const createReadMarginGroups =
  (queryable: Queryable): ReadMarginGroups =>
  async (day, { steps, moments, hours }) => {
    const rowsOf = async (sql: string, { fromMs, toMs }: Span): Promise<Row[]> => {
      try {
        return await queryable.query<Row>(sql, [new Date(fromMs), steps, moments, new Date(toMs), hours]);
      } catch (error) {
        const quarterMs = (toMs - fromMs) / 4;
        if (!wasTooSlow(error) || quarterMs < LEAST_MS) throw error;
        const rows: Row[] = [];
        for (const nth of [0, 1, 2, 3]) {
          const from = fromMs + nth * quarterMs;
          rows.push(...(await rowsOf(sql, { fromMs: from, toMs: from + quarterMs })));
        }
        return rows;
      }
    };
    const fromMs = Date.parse(`${day}T00:00:00Z`);
    const span = { fromMs, toMs: fromMs + DAY_MS };
    return [...(await rowsOf(PLAIN, span)), ...(await rowsOf(SPECIAL, span))].map((row) => groupOf(day, row));
  };

const groupOf = (day: string, { extra, requests, ...row }: Row): MarginGroup => ({
  day,
  model: row.model,
  accountId: row.accountId,
  account: row.account,
  provider: row.provider,
  upstreamModel: row.upstreamModel,
  tier: row.tier,
  region: row.region,
  said: row.said,
  step: row.step,
  era: row.era,
  peaks: row.peaks,
  inCredits: row.inCredits,
  requests: Number(requests),
  chargedNano: row.chargedNano,
  refundedNano: row.refundedNano,
  counts: Object.fromEntries(
    [...NAMES.map((name) => [name, row[name]] as const), ...Object.entries(extra ?? {})].flatMap(([part, text]) => {
      const count = BigInt(text as string);
      return count > 0n ? [[part, count]] : [];
    }),
  ),
});
