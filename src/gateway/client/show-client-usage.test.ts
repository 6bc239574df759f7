import { expect, test } from "vitest";
import type { Key } from "../../keys/key.ts";
import type { CounterSummary } from "../../ledger/ledger.ts";
import type { ShownUsage } from "../show-usage.ts";
import { createShowClientUsage, type SpentByDay } from "./show-client-usage.ts";

const CREDIT = 1_000_000_000n;
const KEY = { id: "a-session", accountId: "an-account" } as Key;
const RENEWS_MS = Date.UTC(2026, 11, 1);

const limit = (period: CounterSummary["period"], { amount, used }: { amount: number; used: number }): CounterSummary =>
  ({
    kind: "limit",
    unit: "credit",
    models: null,
    amount: BigInt(amount) * CREDIT,
    posted: BigInt(amount - used) * CREDIT,
    period,
    renewsAtMs: period === "none" ? null : RENEWS_MS,
  }) as CounterSummary;

const shown = (counters: CounterSummary[], spentByDay: SpentByDay = () => Promise.resolve([])) =>
  createShowClientUsage({
    showUsage: () => Promise.resolve({ shown: counters } as unknown as ShownUsage),
    spentByDay,
    creditUsd: "0.5",
  })(KEY);

test.each([
  [75, 75, "normal"],
  [76, 76, "warning"],
  [95, 95, "warning"],
  [96, 96, "critical"],
  [100, 100, "critical"],
  [104, 100, "critical"],
] as const)("of 100 credits, %i used is %i percent and %s", async (used, percent, severity) => {
  const { limits } = await shown([limit("month", { amount: 100, used })]);

  expect(limits).toMatchObject([{ percent, severity, group: "monthly", resets_at: "2026-12-01T00:00:00.000Z" }]);
});

test("a limit with something left is never shown as used up", async () => {
  const { limits, extra_usage: extra } = await shown([limit("month", { amount: 10_000, used: 9_999 })]);

  expect([limits[0]?.percent, extra.utilization]).toEqual([99, 99]);
});

test("the fullest limit is the one that is told in amounts, whatever its period, and it alone is active", async () => {
  const body = await shown([limit("month", { amount: 100, used: 10 }), limit("day", { amount: 20, used: 16 })]);

  expect(body.extra_usage).toEqual({
    is_enabled: true,
    monthly_limit: 1_000,
    used_credits: 800,
    utilization: 80,
    currency: "USD",
  });
  expect(body.limits.map(({ group, is_active: active }) => [group, active])).toEqual([
    ["daily", true],
    ["monthly", false],
  ]);
});

test("without a limit that renews, what was spent is told for today, since Monday and since the first of the month", async () => {
  // The 17th of November 2026 is a Tuesday.
  const days = ["2026-10-31", "2026-11-01", "2026-11-15", "2026-11-16", "2026-11-17"].map((day, at) => ({
    day,
    credits: BigInt(10 ** at) * CREDIT,
  }));
  const { extra_usage: extra, limits } = await shown([limit("none", { amount: 5, used: 1 })], () =>
    Promise.resolve(days),
  );

  expect(limits).toEqual([]);
  expect([extra.daily?.used_credits, extra.weekly?.used_credits, extra.used_credits]).toEqual([
    500_000, 550_000, 555_500,
  ]);
  expect([extra.monthly_limit, extra.utilization]).toEqual([null, null]);
});
