import type { Outcome, Usage } from "../core/usage.ts";
import { LINE, PREPARED, type Queryable } from "../db/database.ts";
import { type AnswerRow, settledOf, verdictsOf } from "./answer-row.ts";
import { plainColumns, textColumns } from "./columns.ts";
import type { Ask, Ledger, Settlement } from "./ledger.ts";
import type { Numbers, Words } from "./words-store.ts";

/** The numbers by which the journal knows the ends of requests. */
const KIND_NO: Record<Outcome, number> = { completed: 1, client_gone: 2, upstream_failed: 3, timed_out: 4 };

/**
 * Arrays are bound as text, so each names its type; one place per request. The last value of every call that moves money is the
 * line: it is asked for in the same statement, because a pooler may send each to another server.
 */
const SETTLE_TYPES =
  "uuid uuid smallint bigint bigint int int int int int int jsonb boolean int int int int boolean bytea int text bytea bigint bigint bigint bigint bigint";
const ADMIT_TYPES = "uuid uuid bigint int int bigint bigint bigint bigint boolean int int int bytea bytea";
const TURN_ARRAYS = `${SETTLE_TYPES} ${ADMIT_TYPES}`
  .split(" ")
  .map((type, index) => `$${index + 4}::${type}[]`)
  .join(", ");
const TURN = `select * from turn_v1($3::uuid, $1::uuid, $2::int[], ${TURN_ARRAYS})`;

/** Ends need no process: only what starts belongs to one. */
export const NO_PROCESS = "00000000-0000-0000-0000-000000000000";

export const USAGE_COUNTS = [
  "inputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
  "outputTokens",
  "reasoningTokens",
] as const;

/** Settles and admits, all or nothing. */
export const createTurn =
  (queryable: Queryable, words: Words): Ledger["turn"] =>
  async (processId, { settlements, asks }) => {
    const said = [
      ...asks.map(({ model }) => model),
      ...settlements.flatMap(({ record, usage }) => [
        ...(record ? [record.provider] : []),
        ...Object.keys(usage.toolCalls),
      ]),
    ];
    const numbers = await words.numbersOf(said);
    const values = [
      processId,
      [...new Set([...settlements, ...asks].flatMap(({ chain }) => chain.counters))],
      LINE,
      ...settleColumns(settlements, numbers),
      ...askColumns(asks, numbers),
    ];
    const rows = await queryable.query<AnswerRow>(TURN, values, PREPARED).catch((error: unknown) => {
      // Another server may have another dictionary.
      words.forget();
      throw error;
    });
    return {
      settled: settledOf(
        rows.filter(({ part }) => part === "s"),
        settlements,
      ),
      verdicts: verdictsOf(
        rows.filter(({ part }) => part === "a"),
        asks,
      ),
    };
  };

function settleColumns(settlements: readonly Settlement[], numbers: Numbers): unknown[] {
  const [text, plain] = [textColumns(settlements), plainColumns(settlements)];
  const usages = settlements.map(({ usage }) => usage);
  const records = settlements.map(({ record }) => record);
  const answers = settlements.map(({ answer }) => answer);
  const borne = settlements.some(isBorne) ? settlements : [];
  return [
    ...text("id", "keyId"),
    ...plainColumns(settlements.map(({ outcome }) => ({ kind: KIND_NO[outcome] })))("kind"),
    ...plainColumns(settlements.map(({ price }) => price))("credits", "tokens"),
    ...plainColumns(usages)(...USAGE_COUNTS),
    toolColumn(usages, numbers),
    ...plain("contentDelivered"),
    ...plainColumns(records.map((record) => record && { provider: numbers.of(record.provider) }))("provider"),
    ...plainColumns(records)("status", "firstByteMs", "tookMs", "estimated"),
    ...text("digest"),
    ...plainColumns(answers)("status"),
    ...textColumns(answers)("contentType", "body"),
    ...plainColumns(borne.map(({ absorbed }) => absorbed))("credits", "tokens"),
    ...plainColumns(borne.map(({ waived }) => waived))("credits", "tokens"),
    ...plain("capPerHour"),
  ];
}

function askColumns(asks: readonly Ask[], numbers: Numbers): unknown[] {
  const [text, plain] = [textColumns(asks), plainColumns(asks)];
  const amounts = asks.map(({ least, most }) => ({
    leastCredits: least.credits,
    mostCredits: most.credits,
    leastTokens: least.tokens,
    mostTokens: most.tokens,
  }));
  return [
    ...text("id", "keyId"),
    ...plain("keyVersion", "rpmLimit"),
    ...plainColumns(asks.map(({ chain }) => chain))("id"),
    ...plainColumns(amounts)("leastCredits", "mostCredits", "leastTokens", "mostTokens"),
    ...plain("unlimited"),
    ...plainColumns(asks.map(({ model }) => ({ model: numbers.of(model) })))("model"),
    ...plain("priceVersion", "lifetimeMs"),
    ...textColumns(asks.map(({ claim }) => claim))("keySha256", "fingerprint"),
  ];
}

/** Calls of tools by the number of their name; null as a whole where nobody called one, as is usual. */
export function toolColumn(usages: readonly Usage[], numbers: Numbers): unknown[] | null {
  const calls = usages.map(({ toolCalls }) => Object.entries(toolCalls));
  if (calls.every((entries) => entries.length === 0)) return null;
  return calls.map((entries) =>
    entries.length === 0
      ? null
      : JSON.stringify(Object.fromEntries(entries.map(([name, count]) => [numbers.of(name), count]))),
  );
}

const isBorne = ({ absorbed, waived }: Settlement): boolean =>
  [absorbed.credits, absorbed.tokens, waived.credits, waived.tokens].some((amount) => amount !== null && amount !== 0n);
