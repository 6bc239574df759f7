import type { Settlement } from "../../src/ledger/ledger.ts";
import type { Rules } from "./rules.ts";
import type { HouseKind, State } from "./state.ts";

const MINUTE_MS = 60_000;
const MINUTES_KEPT = 61;

type Booked = { id: string; keyId: string; amount: bigint };

/** The operator's part of the model: what is borne for each key, and from when on not. */
export function createHouse({ state, rules, nowMs }: { state: State; rules: Rules; nowMs: () => number }) {
  const minuteNow = (): number => Math.floor(nowMs() / MINUTE_MS);

  const recent = (keyId: string) =>
    [...state.borne].filter(([, it]) => it.keyId === keyId && it.minute > minuteNow() - MINUTES_KEPT);

  function book(kind: HouseKind, { id, keyId, amount }: Booked): void {
    if (amount <= 0n) return;
    const unit = state.accounts.get(keyId)?.unit ?? "credit";
    state.house.set(`${id} ${kind}`, { keyId, kind, amount, unit, atMs: nowMs() });
    if (kind === "voided") return;
    const kept = new Map(recent(keyId));
    for (const [name, it] of state.borne) if (it.keyId === keyId && !kept.has(name)) state.borne.delete(name);
    const name = `${keyId} ${minuteNow()}`;
    const sums = state.borne.get(name) ?? { keyId, minute: minuteNow(), caused: 0n, failed: 0n };
    sums[kind === "failed" ? "failed" : "caused"] += amount;
    state.borne.set(name, sums);
  }

  /** Waivers are decided for a whole batch, in its order, before any of it is booked. */
  function open(settlements: readonly Settlement[]) {
    const spent = new Set<Settlement>();
    const seen = new Set<string>();
    const borne = new Map<string, bigint>();
    for (const settlement of settlements) {
      const { id, keyId, outcome, absorbed, capPerHour } = settlement;
      if (state.holds.get(id)?.keyId !== keyId || seen.has(id)) continue;
      seen.add(id);
      const before = borne.get(keyId) ?? recent(keyId).reduce((sum, [, it]) => sum + it.caused + it.failed, 0n);
      const waived = outcome === "upstream_failed" ? settlement.waived : 0n;
      const free = waived === 0n || rules.waives({ waived, borne: before, cap: capPerHour });
      if (!free) spent.add(settlement);
      borne.set(keyId, before + absorbed + (free ? waived : 0n));
    }
    /** The first place of each key that caused something. */
    const caused = new Map<string, { place: number; cap: bigint }>();

    return {
      isFree: (settlement: Settlement): boolean => settlement.outcome === "upstream_failed" && !spent.has(settlement),
      chargeOf: (settlement: Settlement): bigint => {
        if (settlement.outcome !== "upstream_failed") return settlement.charge;
        return spent.has(settlement) ? settlement.waived : 0n;
      },
      book: (settlement: Settlement, overrun: bigint): void => {
        const { id, keyId, outcome, absorbed, waived, capPerHour } = settlement;
        const waives = outcome === "upstream_failed" && !spent.has(settlement);
        book("overrun", { id, keyId, amount: overrun });
        book("write_off", { id, keyId, amount: absorbed });
        book("failed", { id, keyId, amount: waives ? waived : 0n });
        const place = settlements.indexOf(settlement);
        if ((overrun > 0n || absorbed > 0n) && !caused.has(keyId)) caused.set(keyId, { place, cap: capPerHour });
      },
      overCap: (): number[] =>
        [...caused].flatMap(([keyId, { place, cap }]) => {
          const total = recent(keyId).reduce((sum, [, it]) => sum + it.caused, 0n);
          return total > cap && state.accounts.get(keyId)?.status === "active" ? [place] : [];
        }),
    };
  }

  return {
    open,
    overran: (booked: Booked): void => book("overrun", booked),
    undid: (booked: Booked): void => book("voided", booked),
  };
}
