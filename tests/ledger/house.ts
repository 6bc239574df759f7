import type { Unit } from "../../src/core/money/amount.ts";
import { amountIn } from "../../src/core/money/amount.ts";
import type { Settlement } from "../../src/ledger/ledger.ts";
import { mayWaive, type Rules } from "./rules.ts";
import { type HouseKind, namedUnit, type State, UNIT_NAMES, unitName } from "./state.ts";

const MINUTE_MS = 60_000;
const MINUTES_KEPT = 61;

type Booked = { id: string; keyId: string; unit: Unit; amount: bigint };

/** The operator's part of the model: what is borne for each payer and account, and from when on not. */
export function createHouse({ state, rules, nowMs }: { state: State; rules: Rules; nowMs: () => number }) {
  const minuteNow = (): number => Math.floor(nowMs() / MINUTE_MS);
  const modeOf = (keyId: string): Unit => state.keys.get(keyId)?.unit ?? "credit";

  /** For whom what is borne of a key counts: its payer, and its account unless it is its own. */
  function bearersOf(keyId: string): string[] {
    const accountId = state.keys.get(keyId)?.accountId ?? keyId;
    const payer = `${keyId} payer ${modeOf(keyId)}`;
    return accountId === keyId ? [payer] : [payer, `${accountId} account ${modeOf(keyId)}`];
  }

  const capOf = (bearer: string, { capPerHour, accountCapPerHour }: Settlement): bigint =>
    bearer.includes(" account ") ? accountCapPerHour : capPerHour;

  const recent = (bearer: string) =>
    [...state.borne].filter(([, it]) => it.bearer === bearer && it.minute > minuteNow() - MINUTES_KEPT);

  function book(kind: HouseKind, { id, keyId, unit, amount }: Booked): void {
    if (amount <= 0n) return;
    state.house.set(`${id} ${kind} ${unit}`, { keyId, kind, amount, unit, atMs: nowMs() });
    if (kind === "voided") return;
    for (const bearer of bearersOf(keyId)) {
      forgetOld(bearer.split(" ")[0] ?? "");
      if (unit !== modeOf(keyId)) continue;
      const name = `${bearer} ${minuteNow()}`;
      const sums = state.borne.get(name) ?? { bearer, minute: minuteNow(), caused: 0n, failed: 0n };
      sums[kind === "failed" ? "failed" : "caused"] += amount;
      state.borne.set(name, sums);
    }
  }

  function forgetOld(whose: string): void {
    for (const [name, { bearer, minute }] of state.borne)
      if (bearer.startsWith(whose) && minute <= minuteNow() - MINUTES_KEPT) state.borne.delete(name);
  }

  /** Waivers are decided for a whole batch, in its order and in the units of the keys' modes, before any of it is booked. */
  function open(settlements: readonly Settlement[]) {
    const spent = new Set<Settlement>();
    const seen = new Set<string>();
    const borne = new Map<string, bigint>();
    for (const settlement of settlements) {
      const { id, keyId, absorbed } = settlement;
      if (state.holds.get(id)?.keyId !== keyId || seen.has(id)) continue;
      seen.add(id);
      const before = (bearer: string): bigint =>
        borne.get(bearer) ?? recent(bearer).reduce((sum, [, it]) => sum + it.caused + it.failed, 0n);
      const waived = mayWaive(settlement) ? (amountIn(modeOf(keyId), settlement.waived) ?? 0n) : 0n;
      const bearers = bearersOf(keyId);
      const free =
        waived === 0n || bearers.every((it) => rules.waives({ waived, borne: before(it), cap: capOf(it, settlement) }));
      if (!free) spent.add(settlement);
      const more = (amountIn(modeOf(keyId), absorbed) ?? 0n) + (free ? waived : 0n);
      for (const bearer of bearers) borne.set(bearer, before(bearer) + more);
    }
    /** The first place of each key that caused something. */
    const caused = new Map<string, number>();
    const isFree = (settlement: Settlement): boolean => mayWaive(settlement) && !spent.has(settlement);

    return {
      isFree,
      /** What it costs in this unit. */
      costOf: (settlement: Settlement, unit: Unit): bigint => {
        if (isFree(settlement)) return 0n;
        return amountIn(unit, spent.has(settlement) ? settlement.waived : settlement.price) ?? 0n;
      },
      book: (settlement: Settlement, overrun: Record<(typeof UNIT_NAMES)[number], bigint | null>): void => {
        const { id, keyId, absorbed, waived } = settlement;
        const waives = isFree(settlement);
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
          if (place < (caused.get(keyId) ?? Infinity)) caused.set(keyId, place);
        }
      },
      overCap: (): number[] =>
        [...caused].flatMap(([keyId, place]) => {
          const settlement = settlements[place];
          const isOver = bearersOf(keyId).some((bearer) => {
            const total = recent(bearer).reduce((sum, [, it]) => sum + it.caused, 0n);
            return settlement !== undefined && total > capOf(bearer, settlement);
          });
          return isOver && state.keys.get(keyId)?.status === "active" ? [place] : [];
        }),
    };
  }

  return {
    open,
    overran: (booked: Booked): void => book("overrun", booked),
    undid: (booked: Booked): void => book("voided", booked),
  };
}
