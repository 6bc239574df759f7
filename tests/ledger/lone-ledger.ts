import { type Amounts, amountIn, type Unit } from "../../src/core/money/amount.ts";
import type { BudgetPeriod } from "../../src/core/money/budget-period.ts";
import { NO_USAGE } from "../../src/core/money/usage.ts";
import type { AdmitVerdict, Ask, Funded, FundingKind, Settled } from "../../src/ledger/ledger.ts";
import { amountsOf, type AskFields, askOf, type EndFields, endOf, type LoneKey } from "../support/lone-key.ts";
import { BUCKET } from "./commands.ts";
import type { Target } from "./drive.ts";

type Named = { keyId: string; reference: string };
type Undo = Pick<Ask, "id" | "keyId"> & { contentDelivered?: boolean };
type Paper = { seq: number; cost: bigint };

/** A ledger of lone keys: each has one counter, so that one number says an amount, and a key's name says whose it is. */
export type LoneLedger = ReturnType<typeof loneLedger>;

// oxlint-disable-next-line max-lines-per-function -- one call after the other.
export function loneLedger(target: Target) {
  const keys = new Map<string, LoneKey>();
  const keyOf = (keyId: string): LoneKey =>
    keys.get(keyId) ?? { keyId, bucket: BUCKET, unit: "credit", chain: { id: 0, counters: [] }, counter: -1 };
  const one = (keyId: string, amounts: Amounts): bigint | null => amountIn(keyOf(keyId).unit, amounts);
  const counterOf = (keyId: string): number => keyOf(keyId).counter;

  return {
    ...target,
    createKey: async (keyId: string, unit: Unit): Promise<void> => {
      const counter = 1_000 + keys.size;
      await target.createKey(keyId, unit, { own: counter });
      const { chain } = await target.copyOf(keyId, "m");
      keys.set(keyId, { keyId, bucket: BUCKET, unit, chain, counter });
    },
    fund: ({ keyId, ...funding }: Named & { kind: FundingKind; amount: bigint }): Promise<Funded> =>
      target.fund({ ...funding, counter: counterOf(keyId), actor: "test" }),
    purchase: (keyId: string, amount: bigint): Promise<Funded> =>
      target.fund({ counter: counterOf(keyId), reference: `p ${keyId}`, kind: "purchase", amount, actor: "test" }),
    setLimit: ({ keyId, ...change }: Named & { amount: bigint; period: BudgetPeriod }): Promise<Funded> =>
      target.setLimit({ ...change, counter: counterOf(keyId), actor: "test" }),
    refund: ({ keyId, reference, about, amount }: Named & { about: string; amount: bigint }): Promise<Funded> =>
      target.refund({ keyId, reference, about, amounts: amountsOf(keyOf(keyId).unit, amount), actor: "test" }),

    ask: (keyId: string, fields: AskFields): Ask => askOf(keyOf(keyId), fields),
    admit: async (processId: string, asks: readonly Ask[]) => {
      const { verdicts } = await target.turn(processId, { settlements: [], asks });
      return verdicts.map((verdict, place) => plain(verdict, (amounts) => one(asks[place]?.keyId ?? "", amounts)));
    },
    settle: async (ends: readonly (EndFields & { of: Ask })[]) => {
      const settlements = ends.map(({ of, ...fields }) => endOf(of, fields));
      const { settled } = await target.turn("00000000-0000-0000-0000-000000000000", { settlements, asks: [] });
      return settled.map((it: Settled, place) =>
        it.kind === "fenced" ? it : { ...it, charged: one(ends[place]?.of.keyId ?? "", it.charged) },
      );
    },
    void: async (requests: readonly Undo[]) => {
      const undone = requests.map(({ id, keyId, contentDelivered = false }) => ({
        id,
        keyId,
        bucket: BUCKET,
        contentDelivered,
      }));
      const answers = await target.void(undone);
      return answers.map(({ kind, refunded }, place) => ({
        kind,
        refunded: one(requests[place]?.keyId ?? "", refunded),
      }));
    },
    /** Of a credit key: what a token key has used is its usage. */
    checkpoint: ({ id, keyId }: Ask, { seq, cost }: Paper): Promise<string[]> => {
      const usage = { ...NO_USAGE, inputTokens: 1, outputTokens: 1 };
      return target.checkpoint([{ id, keyId, bucket: BUCKET, seq, credits: cost, usage, contentDelivered: true }]);
    },
    sweep: async (sweeperId: string, limit: number) =>
      (await target.sweep(sweeperId, limit)).map((it) => ({ ...it, charged: one(it.keyId, it.charged) })),
    /** Its totals, with those of its counter. */
    usage: async (keyId: string) => {
      const summary = await target.usage(keyId);
      const [own] = summary?.counters ?? [];
      if (!summary || !own) return null;
      const { counters: _, ...totals } = summary;
      const { posted, held, used, funded, refunded, amount, renewsAtMs } = own;
      return { ...totals, posted, held, used, funded, refunded, amount, renewsAtMs };
    },
  };
}

/** With one number for each amount, and what a lone key is told of its one counter. */
function plain(verdict: AdmitVerdict, one: (amounts: Amounts) => bigint | null) {
  switch (verdict.kind) {
    case "admitted":
    case "already": {
      const { granted, ...rest } = verdict;
      return { ...rest, amount: one(granted) };
    }
    case "insufficient":
    case "reserved":
    case "limit_reached": {
      const { posted, available, named, ...rest } = verdict;
      return { ...rest, posted: one(posted), available: one(available), renewsAtMs: named.renewsAtMs };
    }
    case "rate_limited":
    case "in_progress":
    case "key_reuse":
    case "replay":
    case "replay_unavailable":
    case "stream_interrupted":
    case "not_begun":
    case "stale_key":
    default:
      return verdict;
  }
}
