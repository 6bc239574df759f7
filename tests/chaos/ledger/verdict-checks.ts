import type { Check, ClientEntry, LedgerState } from "./evidence.ts";
import { groupBy } from "./money-checks.ts";

/** The ledger's clock and the callers' are one machine's, read at different moments. */
const CLOCK_SLACK_MS = 2;
const MINUTE_MS = 60_000;

/** What was there and what at most was held, from one instant to the next. */
type Moment = { fromMs: number; posted: bigint; mostHeld: bigint };

/**
 * I8: a refusal was true at some instant between question and answer, down to the balance it tells of, and no balance was
 * ever below zero. The instants are worked out from the journal: money moves at the time of a row, and a hold is open at most from the making of its id to its
 * charge. Counts the refusals.
 */
export const verdictsAreTrue: Check = ({ clients, ledger }) => {
  const histories = new Map(ledger.balances.map(({ keyId }) => [keyId, historyOf(ledger, keyId)]));
  const refused = clients.filter(({ code, least }) => least !== null && code !== null && VERDICTS[code] !== undefined);
  const negative = [...histories].flatMap(([keyId, moments]) =>
    moments.some(({ posted }) => posted < 0n) ? [`${keyId}: the balance was below zero`] : [],
  );
  const untrue = refused.filter((client) => {
    const { code, least, toldPosted } = client;
    const holds = VERDICTS[code ?? ""] as AdmitVerdict;
    return !during(histories.get(client.keyId) ?? [], client).some(
      (moment) => holds(least ?? 0n, moment) && (toldPosted ?? moment.posted) === moment.posted,
    );
  });
  return {
    counted: refused.length,
    violations: [
      ...negative,
      ...untrue.map(({ marker, code }) => `${marker}: ${code} was returned but not true at any instant`),
    ],
  };
};

type AdmitVerdict = (least: bigint, moment: Moment) => boolean;

const VERDICTS: Record<string, AdmitVerdict> = {
  insufficient_credit: (least, { posted }) => least > posted,
  balance_temporarily_reserved: (least, { posted, mostHeld }) => posted >= least && least > posted - mostHeld,
  limit_reached: (_least, { posted }) => posted <= 0n,
};

/** A budget counts like a purchase: those of the stage do not renew. */
function historyOf(ledger: LedgerState, keyId: string): Moment[] {
  const funding = ledger.funding.filter((row) => row.keyId === keyId);
  const charges = ledger.charges.filter((row) => row.keyId === keyId);
  const open = ledger.holds.filter((row) => row.keyId === keyId);
  const changes = [
    ...funding.map(({ atMs, amount }) => ({ atMs, posted: amount, held: 0n })),
    ...charges.flatMap(({ holdId, granted, amount, atMs }) => [
      { atMs: madeAtMs(holdId), posted: 0n, held: granted },
      { atMs, posted: -amount, held: -granted },
    ]),
    ...open.map(({ id, amount }) => ({ atMs: madeAtMs(id), posted: 0n, held: amount })),
  ].sort((one, two) => one.atMs - two.atMs);

  let moment: Moment = { fromMs: -Infinity, posted: 0n, mostHeld: 0n };
  return [
    moment,
    ...changes.map(({ atMs, posted, held }) => {
      moment = { fromMs: atMs, posted: moment.posted + posted, mostHeld: moment.mostHeld + held };
      return moment;
    }),
  ];
}

/** The moments between a question and its answer, with the one in which the question fell. */
function during(moments: readonly Moment[], { sentAtMs, endedAtMs }: ClientEntry): Moment[] {
  const after = moments.findIndex(({ fromMs }) => fromMs > sentAtMs - CLOCK_SLACK_MS);
  const from = Math.max(0, (after < 0 ? moments.length : after) - 1);
  return moments.slice(from).filter(({ fromMs }) => fromMs <= endedAtMs + CLOCK_SLACK_MS);
}

/** A UUID v7 begins with the millisecond it was made in. */
const madeAtMs = (id: string): number => Number.parseInt(id.replace("-", "").slice(0, 12), 16);

/** I10: no more were accepted in a minute than the key allows. Counts the accepted requests of keys with a limit. */
export const rateIsKept: Check = ({ clients, ledger }) => {
  const limits = new Map(ledger.balances.map(({ keyId, rpmLimit }) => [keyId, rpmLimit]));
  const limited = clients.filter(({ keyId, status }) => status !== null && (limits.get(keyId) ?? null) !== null);
  const accepted = limited.filter(({ status }) => status !== 429 && status !== 503 && status !== 401);
  const violations = [...groupBy(accepted, ({ keyId }) => keyId)].flatMap(([keyId, entries]) => {
    const limit = limits.get(keyId) ?? Infinity;
    // Only what surely lies within a minute counts: sent after its beginning and answered before its end.
    const crowded = entries.find(({ sentAtMs }) => {
      const within = entries.filter((it) => it.sentAtMs >= sentAtMs && it.endedAtMs <= sentAtMs + MINUTE_MS);
      return within.length > limit;
    });
    return crowded ? [`${keyId}: more than ${limit} in the minute from ${crowded.sentAtMs}`] : [];
  });
  return { counted: accepted.length, violations };
};
