import type { ReactNode } from "react";
import type { Unit } from "../format/unit.ts";

type Props = { held: bigint; produced: bigint; unit: Unit };

/** A running request: what it has cost so far, out of what was reserved for it. */
export function BurnDown({ held, produced, unit }: Props): ReactNode {
  const share = held === 0n ? 0 : Math.min(100, Number((produced * 10_000n) / held) / 100);
  const words = `${unit.show(produced)} of ${unit.show(held)} ${unit.name} held`;
  return (
    <div className="flex items-center gap-2" title={words}>
      <div role="img" aria-label={words} className="h-1.5 w-24 overflow-hidden rounded-full bg-line">
        <div className={share > 90 ? "h-full bg-warn" : "h-full bg-accent"} style={{ width: `${share}%` }} />
      </div>
      <span className="text-small whitespace-nowrap">
        {unit.show(produced)} <span className="text-ink-3">of {unit.show(held)}</span>
      </span>
    </div>
  );
}
