import type { ReactNode } from "react";
import type { RequestDetail } from "../../api/generated/admin.ts";
import { readCredits } from "../../format/money.ts";
import { CREDITS, TOKENS, type Unit } from "../../format/unit.ts";
import { Card } from "../../parts/card.tsx";

type Kind = NonNullable<RequestDetail["money"]>["entries"][number]["kind"];
/** What the ledger has about the request. A unit that nothing counts in is null. */
type Money = {
  credits: unknown;
  tokens: unknown;
  entries: readonly { kind: string; credits: string | null; tokens: string | null }[];
};

/** What was reserved, what of it was charged, and what came back. */
export const MoneyPath = ({ money }: { money: Money }): ReactNode => (
  <Card title="What became of the reservation?" lead="From the ledger">
    <div className="flex flex-col gap-5">
      {money.credits !== null && <Path money={money} unit={CREDITS} />}
      {money.tokens !== null && <Path money={money} unit={TOKENS} />}
    </div>
  </Card>
);

function Path({ money, unit }: { money: Money; unit: Unit }): ReactNode {
  const of = (kind: Kind): bigint => totalOf(money, kind, unit);
  const held = -of("hold");
  const charged = -(of("charge") + of("refund") + of("void") + of("given_back"));
  const returned = held > charged ? held - charged : 0n;
  const absorbed = of("absorbed");
  const share = held === 0n ? 100 : Math.min(100, Number((charged * 10_000n) / held) / 100);
  const words = `${unit.show(held)} ${unit.name} reserved, ${unit.show(charged)} charged, ${unit.show(returned)} returned`;
  return (
    <div>
      <div role="img" aria-label={words} className="flex h-3 gap-px overflow-hidden rounded-full bg-line">
        {charged > 0n && <div className="min-w-1 bg-accent" style={{ width: `${share}%` }} />}
        <div className="hatched flex-1 text-edge/60" />
      </div>
      <dl className="mt-3 grid grid-cols-3 gap-3">
        <Stop name="reserved" value={held} unit={unit} note="before a provider was asked" />
        <Stop name="charged" value={charged} unit={unit} note={`${share.toFixed(share < 10 ? 1 : 0)} % of it`} strong />
        <Stop name="returned" value={returned} unit={unit} note="available again" />
      </dl>
      {absorbed !== 0n && (
        <p className="mt-2 text-small text-warn">
          {unit.exact(absorbed < 0n ? -absorbed : absorbed)} {unit.name} were absorbed by the operator.
        </p>
      )}
    </div>
  );
}

const totalOf = ({ entries }: Money, kind: Kind, unit: Unit): bigint =>
  entries.reduce((sum, entry) => {
    const amount = unit === CREDITS ? entry.credits : entry.tokens;
    if (entry.kind !== kind || amount === null) return sum;
    return sum + (unit === CREDITS ? readCredits(amount) : BigInt(amount));
  }, 0n);

type StopParts = { name: string; value: bigint; unit: Unit; note: string; strong?: boolean };

const Stop = ({ name, value, unit, note, strong = false }: StopParts): ReactNode => (
  <div className="min-w-0">
    <dt className="text-small text-ink-2">{name}</dt>
    <dd className={`text-title ${strong ? "font-semibold" : ""}`}>{unit.exact(value)}</dd>
    <dd className="text-small text-ink-3">{note}</dd>
  </div>
);
