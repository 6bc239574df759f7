import type { ReactNode } from "react";
import type { HolderLimit } from "../../api/generated/holder.ts";
import { readCounted } from "../../format/counted.ts";
import type { Unit } from "../../format/unit.ts";

/** What is there, what requests in progress hold of it, and what new ones can use. Of a limit: its amount less what was charged. */
export function Equation({ limit }: { limit: HolderLimit }): ReactNode {
  const { charged, reserved, available, unit } = readCounted(limit);
  const balance = available + reserved;
  return (
    <dl className="flex flex-wrap items-end gap-x-4 gap-y-2">
      {limit.kind === "limit" && (
        <>
          <Term name="Limit" value={balance + charged} unit={unit} />
          <Sign name="minus">−</Sign>
          <Term name="Charged" value={charged} unit={unit} />
        </>
      )}
      {limit.kind === "purse" && <Term name="Balance" value={balance} unit={unit} />}
      <Sign name="minus">−</Sign>
      <Term name="Reserved" value={reserved} unit={unit} />
      <Sign name="is">=</Sign>
      <Term name="Available" value={available} unit={unit} hero />
    </dl>
  );
}

const Sign = ({ name, children }: { name: string; children: string }): ReactNode => (
  <div className="pb-1.5 text-page text-ink-3">
    <dt className="sr-only">{name}</dt>
    <dd aria-hidden="true">{children}</dd>
  </div>
);

type TermParts = { name: string; value: bigint; unit: Unit; hero?: boolean };

const Term = ({ name, value, unit, hero = false }: TermParts): ReactNode => (
  <div className="min-w-0">
    <dt className="text-small text-ink-2">{name}</dt>
    <dd
      title={`${unit.exact(value)} ${unit.name}`}
      className={`font-semibold tracking-tight whitespace-nowrap ${hero ? "text-hero" : "text-figure"}`}
    >
      {unit.show(value)}
      {hero && <span className="text-body font-normal tracking-normal text-ink-2"> {unit.name}</span>}
    </dd>
  </div>
);
