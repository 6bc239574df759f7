import type { BalanceRow, ChargeRow, ClientEntry, Evidence, ProviderEntry } from "./evidence.ts";
import { groupBy } from "./money-checks.ts";

/** What the three witnesses say about one attempt. */
export type Story = {
  client: ClientEntry;
  /** All calls the provider got for the same logical request, retries included. */
  calls: ProviderEntry[];
  charge: ChargeRow | null;
  /** What remained of the charge after refunds. */
  net: bigint;
  unit: BalanceRow["unit"];
};

/** A charge that no caller heard of: the process died, or the caller left, before a head was sent. */
export type Orphan = { charge: ChargeRow; net: bigint; unit: BalanceRow["unit"] };

export type Joined = { stories: Story[]; orphans: Orphan[] };

/** Joins the witnesses: callers and ledger by the id of the request, callers and provider by the marker in the prompt. */
export function join({ clients, calls, ledger }: Evidence): Joined {
  const charges = new Map(ledger.charges.map((charge) => [charge.holdId, charge]));
  const units = new Map(ledger.balances.map(({ keyId, unit }) => [keyId, unit]));
  const callsByMarker = groupBy(calls, ({ marker }) => marker);
  const refunds = new Map<string, bigint>();
  for (const { kind, about, amount } of ledger.funding) {
    if (kind === "refund" && about !== null) refunds.set(about, (refunds.get(about) ?? 0n) + amount);
  }
  const unitOf = (keyId: string): BalanceRow["unit"] => units.get(keyId) ?? "credit";
  const netOf = ({ holdId, amount }: ChargeRow): bigint => amount - (refunds.get(holdId) ?? 0n);

  const stories = clients.map((client): Story => {
    const charge = (client.holdId === null ? undefined : charges.get(client.holdId)) ?? null;
    return {
      client,
      calls: callsByMarker.get(client.marker) ?? [],
      charge,
      net: charge === null ? 0n : netOf(charge),
      unit: unitOf(client.keyId),
    };
  });
  const heard = new Set(clients.map(({ holdId }) => holdId));
  const orphans = ledger.charges
    .filter(({ holdId }) => !heard.has(holdId))
    .map((charge): Orphan => ({ charge, net: netOf(charge), unit: unitOf(charge.keyId) }));
  return { stories, orphans };
}
