import type { Margin } from "../../api/generated/admin.ts";
import { readCredits } from "../../format/money.ts";
import { CREDITS, type Unit } from "../../format/unit.ts";

/** In billionths, as credits are. Digits beyond them are in the file and in the API. */
export const DOLLARS: Unit = { ...CREDITS, name: "dollars" };
export const readUsd = readCredits;

/** What is known of charges with a cost: in dollars, and the share in hundredths of a percent. Null: none of them has one. */
export function knownOf({ requests, charged_usd, cost_usd, margin_usd }: Margin) {
  if (requests === 0) return null;
  const [charged, cost, margin] = [readUsd(charged_usd), readUsd(cost_usd), readUsd(margin_usd)];
  return { charged, cost, margin, share: charged > 0n ? (margin * 10_000n) / charged : null };
}
