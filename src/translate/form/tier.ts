/** On what terms a provider served an answer; kinds that only one dialect knows are not passed on. */
export type Tier = "ordinary" | "priority";

/** May come at any time, before the answer has started too. */
export type TierNamed = { kind: "tier-named"; tier: Tier };

const TIERS: Readonly<Record<string, Tier>> = { default: "ordinary", standard: "ordinary", priority: "priority" };

/** What an answer says of its tier, under its dialect's name for it. */
export function tierEvents(name: unknown): TierNamed[] {
  const tier = typeof name === "string" && Object.hasOwn(TIERS, name) ? TIERS[name] : undefined;
  return tier === undefined ? [] : [{ kind: "tier-named", tier }];
}
