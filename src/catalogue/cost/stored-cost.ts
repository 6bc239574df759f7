import { invariant } from "../../core/invariant.ts";
import { byPart, onlySaid, OPTIONAL_PARTS, type Tariff, TARIFF_PARTS, whenOf } from "../../core/money/price.ts";
import { type StoredLine, storedLines, whenOfStored } from "../../core/money/stored-lines.ts";

/** A cost as its column has it: lines, of which the first has no condition. */
export const storedCost = (cost: Tariff): StoredLine[] | null =>
  storedLines({
    when: [
      {
        when: {},
        nano: onlySaid(byPart(TARIFF_PARTS, (part) => cost[part] ?? undefined)),
        toolCallNano: cost.toolCallNano,
        times: null,
        sold: true,
      },
      ...(cost.when ?? []),
    ],
  });

export function costOfStored(lines: readonly StoredLine[]): Tariff {
  const [base, ...when] = whenOfStored(lines).when ?? [];
  const { inputNano, outputNano } = base?.nano ?? {};
  invariant(base && inputNano !== undefined && outputNano !== undefined, "a cost has what every price has");
  return {
    inputNano,
    outputNano,
    ...byPart(OPTIONAL_PARTS, (part) => base.nano[part] ?? null),
    toolCallNano: base.toolCallNano,
    ...whenOf(when),
  };
}
