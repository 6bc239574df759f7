import { madeAtMs } from "../core/made-at.ts";
import type { Unit } from "../core/money/amount.ts";
import {
  byPart,
  NEEDED_PARTS,
  OPTIONAL_PARTS,
  type Tariff,
  TARIFF_PARTS,
  type TariffPart,
  wordOf,
} from "../core/money/price.ts";
import { type StoredLine, whenOfStored } from "../core/money/stored-lines.ts";
import type { RequestEntry } from "../core/request/request-record.ts";
import type { Queryable } from "../db/database.ts";
import { RECORD_COLUMNS, recordOf, type RequestRow } from "./request-store.ts";
import type { JournalCharge, ShowStore } from "./show-request.ts";

const CHARGE = `
  select c.hold_id as id, c.kind, c.admitted_at as "admittedAt", c.at, c.granted_credits as "grantedCredits", c.granted_tokens as "grantedTokens", c.credits, c.tokens,
         c.price_version as "priceVersion", c.input, c.cache_read as "cacheRead", c.cache_write as "cacheWrite",
         c.cache_write_1h as "cacheWrite1h", c.output, c.reasoning, c.estimated, c.tier, c.region, c.said, c.upstream_model as "upstreamModel", c.more -> 'parts' as parts,
         (select jsonb_object_agg(w.word, t.value::int) from jsonb_each_text(c.tools) t join word w on w.no = t.key::int) as tools,
         ${TARIFF_PARTS.map((part) => `p.${wordOf(part)}_nano as "${part}"`).join(", ")}, p.tool_call_nano as "toolCalls", p.when_lines as "whenLines"
    from charge_in_words c left join price p on p.model_id = c.model and p.version = c.price_version
   where c.hold_id = $1::uuid`;

type ChargeRow = { [Part in TariffPart]: bigint | null } & {
  id: string;
  kind: string;
  admittedAt: Date;
  at: Date;
  grantedCredits: bigint | null;
  grantedTokens: bigint | null;
  credits: bigint | null;
  tokens: bigint | null;
  priceVersion: number | null;
  input: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h: number;
  output: number;
  reasoning: number;
  estimated: boolean;
  tier: string;
  region: string;
  said: string | null;
  upstreamModel: string | null;
  parts: Record<string, number> | null;
  tools: Record<string, number> | null;
  toolCalls: Record<string, string> | null;
  whenLines: StoredLine[] | null;
};

const GIVEN_BACK = `
  select kind, credits, tokens, reference, actor, at from refund where hold_id = $1::uuid
  union all
  select 'given_back', null, null, null, actor, at from release where hold_id = $1::uuid`;

type GivenRow = Omit<RequestEntry, "atMs"> & { at: Date };

export const createShowStore = (queryable: Queryable): ShowStore => ({
  record: async (id) => {
    const [row] = await queryable.query<RequestRow>(`select ${RECORD_COLUMNS} from request where id = $1::uuid`, [id]);
    return row === undefined ? null : recordOf(row);
  },
  charge: async (id) => {
    const [row] = await queryable.query<ChargeRow>(CHARGE, [id]);
    return row === undefined ? null : chargeOf(row);
  },
  absorbed: async (id) => {
    type Row = { kind: string; unit: Unit; amount: bigint; at: Date };
    const rows = await queryable.query<Row>("select kind, unit, amount, at from house where hold_id = $1::uuid", [id]);
    return rows.map(({ at, ...row }) => ({ ...row, atMs: at.getTime() }));
  },
  givenBack: async (id) => {
    const rows = await queryable.query<GivenRow>(GIVEN_BACK, [id]);
    return rows.map(({ at, ...row }) => ({ ...row, atMs: at.getTime() }));
  },
});

const chargeOf = (row: ChargeRow): JournalCharge => ({
  beganAtMs: madeAtMs(row.id),
  kind: row.kind,
  admittedAtMs: row.admittedAt.getTime(),
  atMs: row.at.getTime(),
  granted: { credits: row.grantedCredits, tokens: row.grantedTokens },
  charged: { credits: row.credits, tokens: row.tokens },
  priceVersion: row.priceVersion,
  estimated: row.estimated,
  tariff: tariffOf(row),
  usage: {
    inputTokens: row.input,
    outputTokens: row.output,
    cacheReadTokens: row.cacheRead,
    cacheWriteTokens: row.cacheWrite,
    cacheWrite1hTokens: row.cacheWrite1h,
    reasoningTokens: row.reasoning,
    toolCalls: row.tools ?? {},
    ...(row.parts === null ? {} : { parts: row.parts }),
  },
  served: {
    tier: row.tier,
    region: row.region,
    said: row.said === "" ? null : row.said,
    upstreamModel: row.upstreamModel,
  },
});

/** A price always has what it needs; a row without it has no price. */
function tariffOf(row: ChargeRow): Tariff | null {
  if (NEEDED_PARTS.some((part) => row[part] === null)) return null;
  const tools = Object.entries(row.toolCalls ?? {}).map(([name, nano]) => [name, BigInt(nano)] as const);
  return {
    ...byPart(NEEDED_PARTS, (part) => row[part] ?? 0n),
    ...byPart(OPTIONAL_PARTS, (part) => row[part]),
    toolCallNano: Object.fromEntries(tools),
    ...whenOfStored(row.whenLines),
  };
}
