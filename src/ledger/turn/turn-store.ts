import type { Outcome } from "../../core/money/usage.ts";
import { LINE, PREPARED, type Queryable } from "../../db/database.ts";
import { type AnswerRow, settledOf, verdictsOf } from "./answer-row.ts";
import { hexColumn, plainColumn, textColumn } from "./columns.ts";
import type { Ask, Ledger, Settlement } from "../ledger.ts";
import { turnAlone } from "./lone-turn-store.ts";
import type { ServedNumbers } from "./served-store.ts";
import { isBorne, moreColumn, toolColumn, USAGE_COUNTS } from "./usage-columns.ts";
import type { Numbers, Words } from "./words-store.ts";

/** The numbers by which the journal knows the ends of requests. */
const KIND_NO: Record<Outcome, number> = { completed: 1, client_gone: 2, upstream_failed: 3, timed_out: 4 };

/**
 * Arrays are bound as text, so each names its type; one place per request. The last value of every call that moves money is the
 * line: it is asked for in the same statement, because a pooler may send each to another server.
 */
const SETTLE_TYPES =
  "uuid uuid smallint bigint bigint int int int int int int jsonb boolean int int int int boolean bytea int text bytea bigint bigint bigint bigint bigint int jsonb";
const ADMIT_TYPES = "uuid uuid bigint int int bigint bigint bigint bigint boolean int int int bytea bytea";
const TURN_ARRAYS = `${SETTLE_TYPES} ${ADMIT_TYPES}`
  .split(" ")
  .map((type, index) => `$${index + 4}::${type}[]`)
  .join(", ");
const TURN = `select * from turn_v2($3::uuid, $1::uuid, $2::int[], ${TURN_ARRAYS})`;

/** Ends need no process: only what starts belongs to one. */
export const NO_PROCESS = "00000000-0000-0000-0000-000000000000";

/** Settles and admits, all or nothing. */
export const createTurn =
  (queryable: Queryable, words: Words, served: ServedNumbers): Ledger["turn"] =>
  async (processId, { settlements, asks }) => {
    const forgetting = (error: unknown): never => {
      // Another server may have another dictionary.
      words.forget();
      served.forget();
      throw error;
    };
    const numbers = await words.numbersOf(wordsIn(settlements, asks));
    const ways = await served.numbersOf(settlements);
    const alone = await turnAlone(queryable, processId, { settlements, asks }, { numbers, ways }).catch(forgetting);
    if (alone !== null) return alone;
    const values = [
      processId,
      countersIn(settlements, asks),
      LINE,
      ...settleColumns(settlements, numbers, ways),
      ...askColumns(asks, numbers),
    ];
    const rows = await queryable.query<AnswerRow>(TURN, values, PREPARED).catch(forgetting);
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

function wordsIn(settlements: readonly Settlement[], asks: readonly Ask[]): Set<string> {
  const said = new Set<string>();
  for (const { model } of asks) said.add(model);
  for (const { record, usage } of settlements) {
    if (record !== null) said.add(record.provider);
    for (const tool in usage.toolCalls) said.add(tool);
  }
  return said;
}

function countersIn(settlements: readonly Settlement[], asks: readonly Ask[]): number[] {
  const counters = new Set<number>();
  for (const { chain } of settlements) for (const counter of chain.counters) counters.add(counter);
  for (const { chain } of asks) for (const counter of chain.counters) counters.add(counter);
  return [...counters];
}

/** A column that nobody uses is null as a whole. */
function settleColumns(
  settlements: readonly Settlement[],
  numbers: Numbers,
  ways: readonly (number | null)[],
): unknown[] {
  const recorded = settlements.some(({ record }) => record !== null);
  const answered = settlements.some(({ answer }) => answer !== null);
  const borne = settlements.some(isBorne);
  const any = settlements.length > 0;
  const plain = (used: boolean, valueOf: (row: Settlement) => number | bigint | boolean | null | undefined) =>
    used ? plainColumn(settlements, valueOf) : null;
  return [
    any ? textColumn(settlements, ({ id }) => id) : null,
    any ? textColumn(settlements, ({ keyId }) => keyId) : null,
    plain(any, ({ outcome }) => KIND_NO[outcome]),
    plain(any, ({ price }) => price.credits),
    plain(any, ({ price }) => price.tokens),
    ...USAGE_COUNTS.map((name) => plain(any, ({ usage }) => usage[name])),
    toolColumn(
      settlements.map(({ usage }) => usage),
      numbers,
    ),
    plain(any, ({ contentDelivered }) => contentDelivered),
    plain(recorded, ({ record }) => record && numbers.of(record.provider)),
    plain(recorded, ({ record }) => record?.status),
    plain(recorded, ({ record }) => record?.firstByteMs),
    plain(recorded, ({ record }) => record?.tookMs),
    plain(recorded, ({ record }) => record?.estimated),
    any ? hexColumn(settlements, ({ digest }) => digest) : null,
    plain(answered, ({ answer }) => answer?.status),
    answered ? textColumn(settlements, ({ answer }) => answer?.contentType) : null,
    answered ? hexColumn(settlements, ({ answer }) => answer?.body.toString("hex")) : null,
    plain(borne, ({ absorbed }) => absorbed.credits),
    plain(borne, ({ absorbed }) => absorbed.tokens),
    plain(borne, ({ waived }) => waived.credits),
    plain(borne, ({ waived }) => waived.tokens),
    any
      ? plainColumn(
          [...settlements.map(({ capPerHour }) => capPerHour), ...settlements.map((end) => end.accountCapPerHour)],
          (cap) => cap,
        )
      : null,
    ways.some((way) => way !== null) ? plainColumn(ways, (way) => way) : null,
    moreColumn(settlements.map(({ usage }) => usage)),
  ];
}

function askColumns(asks: readonly Ask[], numbers: Numbers): unknown[] {
  if (asks.length === 0) return NO_ASKS;
  const claimed = asks.some(({ claim }) => claim !== null);
  return [
    textColumn(asks, ({ id }) => id),
    textColumn(asks, ({ keyId }) => keyId),
    plainColumn(asks, ({ keyVersion }) => keyVersion),
    plainColumn(asks, ({ rpmLimit }) => rpmLimit),
    plainColumn(asks, ({ chain }) => chain.id),
    plainColumn(asks, ({ least }) => least.credits),
    plainColumn(asks, ({ most }) => most.credits),
    plainColumn(asks, ({ least }) => least.tokens),
    plainColumn(asks, ({ most }) => most.tokens),
    plainColumn(asks, ({ unlimited }) => unlimited),
    plainColumn(asks, ({ model }) => numbers.of(model)),
    plainColumn(asks, ({ priceVersion }) => priceVersion),
    plainColumn(asks, ({ lifetimeMs }) => lifetimeMs),
    claimed ? hexColumn(asks, ({ claim }) => claim?.keySha256.toString("hex")) : null,
    claimed ? hexColumn(asks, ({ claim }) => claim?.fingerprint.toString("hex")) : null,
  ];
}

const NO_ASKS: null[] = ADMIT_TYPES.split(" ").map(() => null);
