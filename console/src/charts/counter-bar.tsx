import type { ReactNode } from "react";
import type { Unit } from "../format/unit.ts";

type Props = {
  charged: bigint;
  reserved: bigint;
  available: bigint;
  unit: Unit;
  /** Shares in percent at which somebody is told. */
  thresholds?: readonly number[];
  /** Without the numbers below it, for a row of a table. */
  bare?: boolean;
};

const NEAR_PERCENT = 80;

/** A purse or a limit: charged, reserved, available. It turns to a warning where little is left. */
export function CounterBar({ charged, reserved, available, unit, thresholds = [], bare = false }: Props): ReactNode {
  const left = available > 0n ? available : 0n;
  const whole = charged + reserved + left;
  const share = (part: bigint): number => (whole === 0n ? 0 : Number((part * 10_000n) / whole) / 100);
  const used = share(charged + reserved);
  const tone =
    whole === 0n ? "text-ink-3" : left === 0n ? "text-bad" : used >= NEAR_PERCENT ? "text-warn" : "text-accent";
  const words = `${unit.show(charged)} charged, ${unit.show(reserved)} reserved, ${unit.show(available)} available of ${unit.show(whole)} ${unit.name}`;
  return (
    <div className="min-w-24">
      <div
        role="img"
        aria-label={words}
        title={words}
        className={`relative flex h-2 overflow-hidden rounded-full bg-line ${tone}`}
      >
        <div className="bg-current" style={{ width: `${share(charged)}%` }} />
        <div className="hatched" style={{ width: `${share(reserved)}%` }} />
        {thresholds.map((at) => (
          <i key={at} className="absolute inset-y-0 w-0.5 bg-surface" style={{ left: `${at}%` }} />
        ))}
      </div>
      {!bare && (
        <dl className="mt-1.5 flex flex-wrap gap-x-4 text-small">
          <Part name="charged" swatch="bg-current" tone={tone} value={unit.show(charged)} />
          <Part name="reserved" swatch="hatched" tone={tone} value={unit.show(reserved)} />
          <Part name="available" swatch="bg-line" tone="" value={unit.show(available)} />
        </dl>
      )}
    </div>
  );
}

const Part = ({
  name,
  swatch,
  tone,
  value,
}: {
  name: string;
  swatch: string;
  tone: string;
  value: string;
}): ReactNode => (
  <div className="flex items-center gap-1.5">
    <dt className="flex items-center gap-1.5 text-ink-2">
      <i className={`size-2 rounded-[2px] ${swatch} ${tone}`} />
      {name}
    </dt>
    <dd className="font-medium">{value}</dd>
  </div>
);
