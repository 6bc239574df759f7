import { expect, test } from "vitest";
import type { Key } from "../keys/key.ts";
import type { UsageSummary } from "../ledger/ledger.ts";
import { createShowUsage } from "./show-usage.ts";

const KEY = { id: "k", mode: "credit", prefix: "tgc_00100000", status: "active" } as Key;
const TOTALS: UsageSummary = {
  unit: "credit",
  posted: 9_007_199_254_740_993n,
  held: 1n,
  purchased: 9_007_199_254_740_994n,
  used: 1n,
  budget: 0n,
  periodEndsAtMs: null,
  todaySpend: 1n,
  lastCost: 1n,
  requests: 1n,
  inputTokens: 0n,
  outputTokens: 0n,
};

const show = (creditUsd = "1", totals: Partial<UsageSummary> = {}) =>
  createShowUsage({ ledger: { usage: async () => ({ ...TOTALS, ...totals }) }, creditUsd, random: () => 0 })(KEY);

test("amounts that no double holds are subtracted before they are written [MON-4] [USG-18] [USG-30]", async () => {
  const { headers, body } = await show();

  expect(headers["x-service-credit-remaining"]).toBe("9007199.254740992");
  expect(body.credits).toMatchObject({ remaining: Number("9007199.254740992"), last_request_cost: 1e-9 });
});

test("dollars follow from what a credit is worth, to the nano-credit [USG-21]", async () => {
  const { body } = await show("0.1", { posted: 25_000_000_000n, held: 0n });

  expect(body.credits).toMatchObject({ remaining: 25, remaining_usd: 2.5 });
});

test("while the ledger is away there is no summary to guess [ERR-25] [USG-32]", async () => {
  const showUsage = createShowUsage({
    ledger: { usage: () => Promise.reject(new Error("connection refused")) },
    creditUsd: "1",
    random: () => 0.5,
  });

  await expect(showUsage(KEY)).rejects.toMatchObject({ code: "service_unavailable", retryAfterSeconds: 4 });
});
