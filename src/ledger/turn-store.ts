import { invariant } from "../core/invariant.ts";
import { LINE, PREPARED, type Queryable } from "../db/database.ts";
import { plainColumns, textColumns } from "./columns.ts";
import { inOrder } from "./in-order.ts";
import type { Ask, BatchVerdict, Settled, Settlement, LedgerTurn } from "./ledger.ts";
import { isVerdict, type RateRow, type VerdictRow, verdictOf, withRates } from "./verdict-row.ts";

type SettledRow = { half: "settle"; place: number; result: Settled["kind"]; amount: bigint | null };
type OverCapRow = { half: "settle"; place: number; result: "over_cap"; amount: null };
type EndRow = SettledRow | OverCapRow;
type BeginRow = VerdictRow | RateRow;

/** Arrays are bound as text, so each names its type; one place per request. */
const TURN = `select half, place, result, amount, posted, held, retry_after_ms, period_ends_at
  from turn_v1(on_line_v1($35::uuid, $1::uuid),
    $2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[],
    $11::boolean[], $12::text[], $13::int[], $14::int[], $15::int[], $16::boolean[], $17::int[], $18::text[], $19::bytea[],
    $20::bigint[], $21::bigint[], $22::bigint[],
    $23::uuid[], $24::uuid[], $25::bigint[], $26::int[], $27::bigint[], $28::bigint[], $29::boolean[], $30::text[], $31::int[],
    $32::int[], $33::bytea[], $34::bytea[])`;

/** Without asks no process is named: a settlement belongs to its hold, whoever sends it. */
export async function sendTurn(
  queryable: Queryable,
  { processId, settlements, asks }: LedgerTurn & { processId: string | null },
): Promise<{ settled: Settled[]; verdicts: BatchVerdict[] }> {
  const values = [processId, ...settlementColumns(settlements), ...askColumns(asks), LINE];
  const rows = await queryable.query<EndRow | BeginRow>(TURN, values, PREPARED);
  return { settled: settledOf(rows.filter(isEnd), settlements), verdicts: verdictsOf(rows.filter(isBegin), asks) };
}

const isEnd = (row: EndRow | BeginRow): row is EndRow => row.half === "settle";
const isBegin = (row: EndRow | BeginRow): row is BeginRow => row.half === "admit";

function settlementColumns(settlements: readonly Settlement[]): unknown[] {
  const [text, plain] = [textColumns(settlements), plainColumns(settlements)];
  const usages = settlements.map(({ usage }) => usage);
  const records = settlements.map(({ record }) => record);
  const answers = settlements.map(({ answer }) => answer);
  return [
    ...text("id", "keyId", "outcome"),
    ...plain("charge"),
    ...plainColumns(usages)("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"),
    ...plain("contentDelivered"),
    ...textColumns(records)("provider"),
    ...plainColumns(records)("status", "firstByteMs", "tookMs", "estimated"),
    ...plainColumns(answers)("status"),
    ...textColumns(answers)("contentType", "body"),
    ...plainColumns(settlements.some(isBorne) ? settlements : [])("absorbed", "waived"),
    ...plain("capPerHour"),
  ];
}

function askColumns(asks: readonly Ask[]): unknown[] {
  const [text, plain] = [textColumns(asks), plainColumns(asks)];
  const claims = asks.map(({ claim }) => claim);
  return [
    ...text("id", "keyId"),
    ...plain("keyVersion", "rpmLimit", "least", "most", "unlimited"),
    ...text("model"),
    ...plain("priceVersion", "lifetimeMs"),
    ...textColumns(claims)("keySha256", "fingerprint"),
  ];
}

function settledOf(rows: readonly EndRow[], settlements: readonly Settlement[]): Settled[] {
  const settled: Settled[] = inOrder(rows.filter(isSettled), settlements, {
    rest: ({ amount }) => amount,
    each: endOf,
    common: ({ charge }) => ({ kind: "settled", charged: charge }),
  });
  for (const row of rows) {
    const over = isSettled(row) ? undefined : settled[row.place - 1];
    if (over?.kind === "settled") over.overCap = true;
  }
  return settled;
}

function verdictsOf(rows: readonly BeginRow[], asks: readonly Ask[]): BatchVerdict[] {
  const verdicts = inOrder(rows.filter(isVerdict), asks, {
    rest: ({ amount }) => amount,
    each: verdictOf,
    common: ({ most }): BatchVerdict => ({ kind: "admitted", amount: most }),
  });
  return withRates(verdicts, asks, rows);
}

const isBorne = ({ absorbed, waived }: Settlement): boolean => absorbed !== 0n || waived !== 0n;
const isSettled = (row: EndRow): row is SettledRow => row.result !== "over_cap";

function endOf({ result, amount }: SettledRow): Settled {
  if (result === "fenced") return { kind: "fenced" };
  invariant(amount !== null, "a settled request has a charge");
  return { kind: result, charged: amount };
}
