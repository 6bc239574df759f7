import type { Amounts, Unit } from "../core/money/amount.ts";
import type { Tariff } from "../core/money/price.ts";
import { isPeak } from "../core/money/rate-rows.ts";
import { type PriceLine, priceLines, roundedSum, tokenLines } from "../core/money/price-lines.ts";
import type {
  PriceGap,
  PriceWork,
  RequestEntry,
  RequestMoney,
  RequestRecord,
  ShowRequest,
} from "../core/request/request-record.ts";
import type { Usage } from "../core/money/usage.ts";

/** The charge of a request as the journal has it, with the price it was made at. */
export type JournalCharge = {
  /** When its request began, by its id. */
  beganAtMs: number;
  kind: string;
  admittedAtMs: number;
  atMs: number;
  granted: Amounts;
  charged: Amounts;
  priceVersion: number | null;
  usage: Usage;
  /** As it was charged. `said`: what the answer named instead. */
  served: { tier: string; region: string; said: string | null; upstreamModel: string | null };
  estimated: boolean;
  tariff: Tariff | null;
};

/** What the operator absorbed of a request. */
export type AbsorbedAmount = { kind: string; unit: Unit; amount: bigint; atMs: number };

export type ShowStore = {
  record: (id: string) => Promise<RequestRecord | null>;
  charge: (id: string) => Promise<JournalCharge | null>;
  absorbed: (id: string) => Promise<AbsorbedAmount[]>;
  /** What was given back later. */
  givenBack: (id: string) => Promise<RequestEntry[]>;
};

export const createShowRequest =
  ({ store }: { store: ShowStore }): ShowRequest =>
  async (id) => {
    const [record, charge, absorbed, givenBack] = await Promise.all([
      store.record(id),
      store.charge(id),
      store.absorbed(id),
      store.givenBack(id),
    ]);
    if (record === null) return null;
    return { record, money: charge && moneyOf(charge, { absorbed, givenBack }) };
  };

type Beside = { absorbed: readonly AbsorbedAmount[]; givenBack: readonly RequestEntry[] };

/** The arithmetic of a charge and what the ledger wrote down about it. */
export function moneyOf(charge: JournalCharge, { absorbed, givenBack }: Beside): RequestMoney {
  const { kind, priceVersion, usage, estimated, tariff, charged } = charge;
  return {
    kind,
    priceVersion,
    usage,
    estimated,
    credits: charged.credits === null ? null : worked("credit", tariff && linesOf(tariff, charge), charge, absorbed),
    tokens: charged.tokens === null ? null : worked("tokens", tokenLines(usage), charge, absorbed),
    entries: [...entriesOf(charge), ...absorbed.map(absorbedEntry), ...givenBack].toSorted(
      (one, other) => one.atMs - other.atMs,
    ),
  };
}

/** At the row that it was charged at. */
export const linesOf = (tariff: Tariff, { usage, beganAtMs, served: { tier, region } }: JournalCharge): PriceLine[] =>
  priceLines(tariff, { ...usage, served: { region } }, tier, isPeak(tariff, beganAtMs));

function worked(
  unit: Unit,
  lines: readonly PriceLine[] | null,
  { kind, charged: amounts, estimated }: JournalCharge,
  absorbed: readonly AbsorbedAmount[],
): PriceWork {
  const charged = (unit === "credit" ? amounts.credits : amounts.tokens) ?? 0n;
  const sum = lines === null ? null : roundedSum(lines);
  const isAbsorbed = absorbed.some((loss) => loss.unit === unit && loss.kind === "overrun");
  return {
    lines: lines ?? [],
    sum,
    charged,
    gap: charged === sum ? null : gapOf({ kind, sum, estimated, isAbsorbed }),
  };
}

type Facts = { kind: string; sum: bigint | null; estimated: boolean; isAbsorbed: boolean };

function gapOf({ kind, sum, estimated, isAbsorbed }: Facts): PriceGap {
  if (kind === "voided") return "voided";
  if (kind === "upstream_failed") return "provider_failed";
  if (isAbsorbed) return "absorbed";
  return sum === null && !estimated ? "no_price" : "estimated";
}

const NOTHING = { reference: null, actor: null };

/** What was reserved, given back and taken, as the charge tells it. */
function entriesOf({ admittedAtMs, atMs, granted, charged }: JournalCharge): RequestEntry[] {
  const taken = ({ credits, tokens }: Amounts): Amounts => ({
    credits: credits === null ? null : -credits,
    tokens: tokens === null ? null : -tokens,
  });
  return [
    { kind: "hold", atMs: admittedAtMs, ...taken(granted), ...NOTHING },
    { kind: "release", atMs, ...granted, ...NOTHING },
    { kind: "charge", atMs, ...taken(charged), ...NOTHING },
  ];
}

const absorbedEntry = ({ kind, unit, amount, atMs }: AbsorbedAmount): RequestEntry => ({
  kind: "absorbed",
  atMs,
  credits: unit === "credit" ? amount : null,
  tokens: unit === "tokens" ? amount : null,
  reference: kind,
  actor: null,
});
