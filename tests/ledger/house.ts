import type { Unit } from "../../src/core/amount.ts";
import { amountIn } from "../../src/core/amount.ts";
import type { Settlement } from "../../src/ledger/ledger.ts";
import type { Rules } from "./rules.ts";
import { type HouseKind, namedUnit, type State, UNIT_NAMES, unitName } from "./state.ts";

const MINUTE_MS = 60_000;
const MINUTES_KEPT = 61;

type Booked = { id: string; keyId: string; unit: Unit; amount: bigint };

/** The operator's part of the model: what is borne for each key, and from when on not. */
export function createHouse({ state, rules, nowMs }: { state: State; rules: Rules; nowMs: () => number }) {
  const minuteNow = (): number => Math.floor(nowMs() / MINUTE_MS);
  const modeOf = (keyId: string): Unit => state.keys.get(keyId)?.unit ?? "credit";

  const recent = (keyId: string) =>
    [...state.borne].filter(([, it]) => it.keyId === keyId && it.minute > minuteNow() - MINUTES_KEPT);

  function book(kind: HouseKind, { id, keyId, unit, amount }: Booked): void {
    if (amount <= 0n) return;
    state.house.set(`${id} ${kind} ${unit}`, { keyId, kind, amount, unit, atMs: nowMs() });
    if (kind === "voided") return;
    const kept = new Map(recent(keyId));
    for (const [name, it] of state.borne) if (it.keyId === keyId && !kept.has(name)) state.borne.delete(name);
    if (unit !== modeOf(keyId)) return;
    const name = `${keyId} ${minuteNow()}`;
    const sums = state.borne.get(name) ?? { keyId, minute: minuteNow(), caused: 0n, failed: 0n };
    sums[kind === "failed" ? "failed" : "caused"] += amount;
    state.borne.set(name, sums);
  }

  /** Waivers are decided for a whole batch, in its order and in the units of the keys' modes, before any of it is booked. */
  function open(settlements: readonly Settlement[]) {
    const spent = new Set<Settlement>();
    const seen = new Set<string>();
    const borne = new Map<string, bigint>();
    for (const settlement of settlements) {
      const { id, keyId, outcome, absorbed, capPerHour } = settlement;
      if (state.holds.get(id)?.keyId !== keyId || seen.has(id)) continue;
      seen.add(id);
      const before = borne.get(keyId) ?? recent(keyId).reduce((sum, [, it]) => sum + it.caused + it.failed, 0n);
      const waived = outcome === "upstream_failed" ? (amountIn(modeOf(keyId), settlement.waived) ?? 0n) : 0n;
      const free = waived === 0n || rules.waives({ waived, borne: before, cap: capPerHour });
      if (!free) spent.add(settlement);
      borne.set(keyId, before + (amountIn(modeOf(keyId), absorbed) ?? 0n) + (free ? waived : 0n));
    }
    /** The first place of each key that caused something. */
    const caused = new Map<string, { place: number; cap: bigint }>();
    const isFree = (settlement: Settlement): boolean =>
      settlement.outcome === "upstream_failed" && !spent.has(settlement);

    return {
      isFree,
      /** What it costs in this unit. */
      costOf: (settlement: Settlement, unit: Unit): bigint => {
        if (isFree(settlement)) return 0n;
        return amountIn(unit, spent.has(settlement) ? settlement.waived : settlement.price) ?? 0n;
      },
      book: (settlement: Settlement, overrun: Record<(typeof UNIT_NAMES)[number], bigint | null>): void => {
        const { id, keyId, outcome, absorbed, waived, capPerHour } = settlement;
        const waives = outcome === "upstream_failed" && !spent.has(settlement);
        const place = settlements.indexOf(settlement);
        for (const name of UNIT_NAMES) {
          // Nothing is borne in a unit that its chain does not count.
          if (overrun[name] === null) continue;
          const unit = namedUnit(name);
          book("overrun", { id, keyId, unit, amount: overrun[name] });
          book("write_off", { id, keyId, unit, amount: absorbed[name] ?? 0n });
          book("failed", { id, keyId, unit, amount: waives ? (waived[name] ?? 0n) : 0n });
          const isCause = overrun[name] > 0n || (absorbed[name] ?? 0n) > 0n;
          if (!isCause || name !== unitName(modeOf(keyId))) continue;
          if (place < (caused.get(keyId)?.place ?? Infinity)) caused.set(keyId, { place, cap: capPerHour });
        }
      },
      overCap: (): number[] =>
        [...caused].flatMap(([keyId, { place, cap }]) => {
          const total = recent(keyId).reduce((sum, [, it]) => sum + it.caused, 0n);
          return total > cap && state.keys.get(keyId)?.status === "active" ? [place] : [];
        }),
    };
  }

  return {
    open,
    overran: (booked: Booked): void => book("overrun", booked),
    undid: (booked: Booked): void => book("voided", booked),
  };
}
