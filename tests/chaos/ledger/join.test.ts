import { expect, test } from "vitest";
import type { ChargeRow, ClientEntry, Evidence, ProviderEntry } from "./evidence.ts";
import { examine, type InvariantName } from "./invariants.ts";
import { sweptLate } from "./request-checks.ts";
import { priceOf } from "./tariff.ts";

const KEY = "01900000-0000-7000-8000-00000000000a";
const START_MS = 0x0190_0000_0000;
const USAGE = { inputTokens: 100, outputTokens: 20 };
const PRICE = priceOf("credit", USAGE);
const GRANTED = PRICE * 3n;
const FUNDED = PRICE * 100n;

const idOf = (number: number): string => `01900000-${number.toString(16).padStart(4, "0")}-7000-8000-000000000001`;

const client = (number: number, changes: Partial<ClientEntry> = {}): ClientEntry => ({
  marker: `mk-${number}`,
  keyId: KEY,
  model: "fast",
  route: "chat",
  streamed: true,
  claim: null,
  least: PRICE * 2n,
  toldPosted: null,
  estimatedInputTokens: 110,
  sentAtMs: START_MS + number,
  endedAtMs: START_MS + number + 100,
  holdId: idOf(number),
  status: 200,
  code: null,
  terminalAtMs: START_MS + number + 100,
  usage: USAGE,
  events: 20,
  contentAtMs: START_MS + number + 20,
  bytes: 1_000,
  sha256: `answer ${number}`,
  left: false,
  leftAtMs: null,
  hung: false,
  replayed: false,
  ...changes,
});

const call = (number: number, changes: Partial<ProviderEntry> = {}): ProviderEntry => ({
  marker: `mk-${number}`,
  dialect: "chat",
  receivedAtMs: START_MS + number + 10,
  status: 200,
  sentTokens: 20,
  countedTokens: 26,
  usage: USAGE,
  ended: "completed",
  callerGoneAtMs: null,
  ...changes,
});

const charge = (number: number, changes: Partial<ChargeRow> = {}): ChargeRow => ({
  holdId: idOf(number),
  keyId: KEY,
  granted: GRANTED,
  amount: PRICE,
  kind: "completed",
  periodNo: 0n,
  tokensIn: BigInt(USAGE.inputTokens),
  tokensOut: BigInt(USAGE.outputTokens),
  atMs: START_MS + number + 50,
  ...changes,
});

/** Three requests that went well, and one refused for lack of money; every witness says the same. */
function honest(): Evidence {
  const charges = [charge(1), charge(2), charge(3)];
  const used = PRICE * 3n;
  return {
    clients: [
      client(1),
      client(2),
      client(3),
      client(4, {
        status: 402,
        code: "insufficient_credit",
        least: FUNDED * 2n,
        terminalAtMs: null,
        usage: null,
        events: 0,
      }),
    ],
    calls: [call(1), call(2), call(3)],
    ledger: {
      balances: [
        {
          keyId: KEY,
          unit: "credit",
          posted: FUNDED - used,
          held: 0n,
          olderHeld: 0n,
          purchased: FUNDED,
          used,
          budget: 0n,
          periodNo: 0n,
          requests: 3n,
          tokensIn: 300n,
          tokensOut: 60n,
          rpmLimit: null,
        },
      ],
      holds: [],
      charges,
      funding: [
        { keyId: KEY, reference: "first", kind: "purchase", amount: FUNDED, periodNo: 0n, about: null, atMs: 1 },
      ],
      records: charges.map(({ holdId, keyId, amount, kind }) => ({
        id: holdId,
        keyId,
        cost: amount,
        outcome: kind,
        estimated: false,
      })),
      house: [],
      claims: [],
    },
  };
}

const tripped = (evidence: Evidence): InvariantName[] =>
  Object.entries(examine(evidence))
    .filter(([, { violations }]) => violations.length > 0)
    .map(([name]) => name as InvariantName);

/** Keeps the balance in step with a journal that was doctored, so that only the wrong itself is left to be seen. */
function rebalanced(evidence: Evidence): Evidence {
  const { balances, charges, funding, holds } = evidence.ledger;
  const total = (values: bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n);
  const [came, went] = [total(funding.map(({ amount }) => amount)), total(charges.map(({ amount }) => amount))];
  const [balance] = balances;
  if (!balance) return evidence;
  Object.assign(balance, {
    purchased: came,
    used: went,
    posted: came - went,
    held: total(holds.map(({ amount }) => amount)),
    requests: BigInt(charges.filter(({ kind }) => kind === "completed").length),
    tokensIn: total(charges.map(({ tokensIn }) => tokensIn)),
    tokensOut: total(charges.map(({ tokensOut }) => tokensOut)),
  });
  evidence.ledger.records = charges
    .filter(({ kind }) => kind === "completed")
    .map(({ holdId, keyId, amount, kind }) => ({ id: holdId, keyId, cost: amount, outcome: kind, estimated: false }));
  return evidence;
}

test("three witnesses who agree trip no invariant, and each check says how much it saw", () => {
  const findings = examine(honest());

  expect(tripped(honest())).toEqual([]);
  expect(findings).toMatchObject({ I1: { counted: 1 }, I3: { counted: 3 }, I4: { counted: 3 }, I5: { counted: 1 } });
  expect(findings).toMatchObject({ I7: { counted: 3 }, I8: { counted: 1 } });
});

const DOCTORED: [wrong: string, invariant: InvariantName, doctor: (evidence: Evidence) => void][] = [
  ["money appears from nowhere", "I1", ({ ledger }) => void (ledger.balances[0]!.posted += 1n)],
  ["a balance does not cover its holds", "I2", ({ ledger }) => void (ledger.balances[0]!.held = FUNDED * 2n)],
  ["a hold is not in the balance", "I2", ({ ledger }) => void ledger.holds.push(hold(9))],
  ["an answer seen whole has no charge", "I3", ({ ledger }) => rebalance(ledger.charges.pop(), ledger)],
  ["a charge is one nano too high", "I3", ({ ledger }) => void (ledger.charges[0]!.amount += 1n)],
  ["a charge is one nano too low", "I3", ({ ledger }) => void (ledger.charges[0]!.amount -= 1n)],
  ["a charge came after the caller was told", "I3", ({ ledger }) => void (ledger.charges[0]!.atMs += 1_000)],
  ["an answer seen whole was swept", "I3", ({ ledger }) => void (ledger.charges[0]!.kind = "swept")],
  ["the caller was told another usage", "I3", ({ clients }) => void (clients[0]!.usage = { ...USAGE, inputTokens: 1 })],
  ["a request was charged twice", "I4", ({ ledger }) => void ledger.charges.push(charge(1))],
  ["an ended hold is still open", "I4", ({ ledger }) => void ledger.holds.push({ ...hold(1), amount: 0n })],
  [
    "two attempts of one Idempotency-Key were both charged",
    "I4",
    ({ clients }) => {
      for (const entry of clients.slice(0, 2)) Object.assign(entry, { claim: "once", sha256: "same" });
    },
  ],
  [
    "a refusal was charged",
    "I5",
    ({ clients }) => void Object.assign(clients[0]!, { terminalAtMs: null, status: 502 }),
  ],
  [
    "a stream that ended in an error event was charged",
    "I5",
    ({ clients }) => void Object.assign(clients[0]!, { terminalAtMs: null, code: "upstream_error" }),
  ],
  [
    "a caller that left pays for more than was sent",
    "I5",
    ({ clients, calls, ledger }) => {
      Object.assign(clients[0]!, { terminalAtMs: null, left: true });
      Object.assign(calls[0]!, { sentTokens: 2, countedTokens: 2, ended: "caller_gone" });
      Object.assign(ledger.charges[0]!, { kind: "client_gone" });
    },
  ],
  [
    "a stream is swept for nothing long after its first content",
    "I5",
    ({ clients, ledger }) => {
      Object.assign(clients[0]!, { terminalAtMs: null, endedAtMs: START_MS + 3_000 });
      Object.assign(ledger.charges[0]!, { kind: "swept", amount: 0n });
    },
  ],
  ["a charge belongs to nobody", "I5", ({ ledger }) => void ledger.charges.push(charge(7))],
  ["a hold is never given back", "I6", ({ ledger }) => void ledger.holds.push(hold(9))],
  ["a charge is missing from the journal", "I7", ({ ledger }) => void ledger.charges.pop()],
  ["a funding is missing from the journal", "I7", ({ ledger }) => void ledger.funding.pop()],
  ["a record says another cost", "I7", ({ ledger }) => void (ledger.records[0]!.cost += 1n)],
  ["a completed request has no record", "I7", ({ ledger }) => void ledger.records.pop()],
  ["a refusal for lack of money was not true", "I8", ({ clients }) => void (clients[3]!.least = 1n)],
  [
    "a refusal for reserved money was not true",
    "I8",
    ({ clients }) => void Object.assign(clients[3]!, { code: "balance_temporarily_reserved", status: 429, least: 1n }),
  ],
  ["a refusal tells of a balance that never was", "I8", ({ clients }) => void (clients[3]!.toldPosted = FUNDED - 1n)],
  [
    "a balance was below zero for an instant",
    "I8",
    ({ ledger }) => void Object.assign(ledger.funding[0]!, { atMs: START_MS + 10_000 }),
  ],
  [
    "a replay differs from the first answer",
    "I9",
    ({ clients }) => {
      for (const entry of clients.slice(0, 2)) Object.assign(entry, { claim: "once" });
      Object.assign(clients[1]!, { replayed: true });
    },
  ],
  [
    "the provider was asked again after the charge",
    "I9",
    ({ clients, calls }) => {
      clients[0]!.claim = "once";
      calls.push(call(1, { receivedAtMs: START_MS + 5_000 }));
    },
  ],
  ["more were accepted in a minute than allowed", "I10", ({ ledger }) => void (ledger.balances[0]!.rpmLimit = 2)],
];

const hold = (number: number) => ({ id: idOf(number), keyId: KEY, amount: 5n, periodNo: 0n });

/** A charge that is gone for good: the balance knows nothing of it either. */
const rebalance = (_gone: unknown, ledger: Evidence["ledger"]): void =>
  void rebalanced({ clients: [], calls: [], ledger });

test.each(DOCTORED)("a join notices when %s [%s]", (_wrong, invariant, doctor) => {
  const evidence = honest();
  doctor(evidence);

  expect(tripped(evidence)).toContain(invariant);
});

test("a double charge, a wrong amount and a lost charge are noticed though the books balance", () => {
  const double = honest();
  double.clients.push(client(5, { claim: "once" }), client(6, { claim: "once", sha256: "answer 5" }));
  double.calls.push(call(5), call(6));
  double.ledger.charges.push(charge(5), charge(6));
  expect(tripped(rebalanced(double))).toEqual(["I4"]);

  const wrong = honest();
  wrong.ledger.charges[1]!.amount += 1_000n;
  expect(tripped(rebalanced(wrong))).toEqual(["I3"]);

  const lost = honest();
  lost.ledger.charges.shift();
  expect(tripped(rebalanced(lost))).toEqual(["I3"]);
});

test("a stream whose process died in the moment of its first content may be swept for nothing", () => {
  const evidence = honest();
  Object.assign(evidence.clients[0]!, { terminalAtMs: null, usage: null });
  Object.assign(evidence.ledger.charges[0]!, { kind: "swept", amount: 0n });

  expect(tripped(rebalanced(evidence))).toEqual([]);
  expect(sweptLate(evidence)).toEqual([]);
});
