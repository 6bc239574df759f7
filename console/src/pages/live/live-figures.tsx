import type { ReactNode } from "react";
import { readCredits } from "../../format/money.ts";
import { CREDITS, REQUESTS, TOKENS, type Unit } from "../../format/unit.ts";
import { Figure, Figures } from "../../parts/figure.tsx";
import type { LiveList } from "./live-feed.ts";

const PROCESSES: Unit = { ...REQUESTS, name: "processes" };

/** The sums of what is in flight. */
export function LiveFigures({ list }: { list: LiveList | null }): ReactNode {
  const rows = list?.data ?? [];
  const part = list !== null && list.more > 0 ? `of the ${list.data.length} listed` : undefined;
  const known = (value: bigint): bigint | null => (list === null ? null : value);
  return (
    <Figures>
      <Figure label="In flight" unit={REQUESTS} value={known(BigInt(rows.length + (list?.more ?? 0)))} />
      <Figure
        label="Streamed"
        unit={REQUESTS}
        value={known(BigInt(rows.filter(({ streamed }) => streamed).length))}
        note={part}
      />
      <Figure
        label="Held"
        unit={CREDITS}
        value={known(sum(rows.map(({ reserved }) => (reserved.credits === null ? 0n : readCredits(reserved.credits)))))}
        note={part}
      />
      <Figure
        label="Cost so far"
        unit={CREDITS}
        value={known(sum(rows.map(({ cost }) => (typeof cost?.credits === "string" ? readCredits(cost.credits) : 0n))))}
        note={part}
      />
      <Figure
        label="Held of budgets"
        unit={TOKENS}
        value={known(sum(rows.map(({ reserved }) => BigInt(reserved.tokens ?? 0))))}
        note={part}
      />
      <Figure
        label="Gateway"
        unit={PROCESSES}
        value={known(BigInt(list?.processes ?? 0))}
        note={list !== null && list.silent > 0 && `${list.silent} silent`}
      />
    </Figures>
  );
}

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
