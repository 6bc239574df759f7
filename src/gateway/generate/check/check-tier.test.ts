import { expect, test } from "vitest";
import { MODEL, ROUTE } from "../../../../tests/support/generation-stage.ts";
import type { Model } from "../../../catalogue/model.ts";
import type { ClientDialect, ProviderDialect } from "../../../core/request/dialect.ts";
import type { Key } from "../../../keys/key.ts";
import { checkTier } from "./check-tier.ts";

const when = ["flex", "priority", "fast"].map((tier) => ({
  when: { tier },
  nano: {},
  toolCallNano: {},
  times: 2_000_000_000n,
  sold: true,
}));
const sells = (dialect: ProviderDialect): Model => ({
  ...MODEL,
  price: { ...(MODEL.price as NonNullable<Model["price"]>), when },
  routes: [{ ...ROUTE, dialect }],
});

type Tiers = readonly string[] | null;

const outcomeOf = (dialect: ClientDialect, tier: string, tiers: Tiers, accountTiers: Tiers): string => {
  const tierField = dialect === "messages" ? "speed" : "service_tier";
  const key: Pick<Key, "mode" | "tiers" | "accountTiers"> = { mode: "credit", tiers, accountTiers };
  try {
    checkTier({ dialect, tier, tierField }, sells(dialect), key);
    return "sold";
  } catch (error) {
    return (error as Error).message;
  }
};

const LISTS: readonly Tiers[] = [null, [], ["flex"], ["fast"], ["flex", "priority", "fast"], ["none-of-these"]];
const listed = (tiers: Tiers, tier: string): boolean => tiers === null || tiers.includes(tier);

test.each(["chat", "responses", "messages"] as const)(
  "in %s a tier is sold where the key and all accounts above it allow it, and the usual one always",
  (dialect) => {
    for (const tiers of LISTS)
      for (const above of LISTS) {
        expect(outcomeOf(dialect, "default", tiers, above)).toBe("sold");
        for (const tier of ["flex", "priority", "fast"]) {
          const isAllowed = listed(tiers, tier) && listed(above, tier);
          expect([tier, tiers, above, outcomeOf(dialect, tier, tiers, above) === "sold"]).toEqual([
            tier,
            tiers,
            above,
            isAllowed,
          ]);
        }
      }
  },
);

test("a refusal says who may not, and what to do instead", () => {
  expect(outcomeOf("chat", "priority", ["flex"], null)).toBe(
    "This API key can't ask for service_tier 'priority'. Use 'flex', or remove `service_tier`.",
  );
  expect(outcomeOf("messages", "fast", null, [])).toBe(
    "The account of this API key can't ask for speed 'fast'. Remove `speed`.",
  );
  // Of what is sold, no tier is named that would be refused next.
  expect(outcomeOf("chat", "ultra", ["flex", "fast"], ["flex"])).toContain(
    "m has no published price for 'ultra'. Use 'flex', or remove this field.",
  );
});
