import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { readUsage } from "../get-usage/read-usage.ts";
import { bearer, type Reply } from "../knock.ts";
import { chargesOf, issueKey, spentToday } from "../operator.ts";
import { ask, JSON_TYPE } from "./ask.ts";

const cached = { input: "1", output: "4", cache_read: "0.1" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      // A hundred tokens in at 1,000 nano-credits and fifty out at 4,000.
      measured: { upstream: "sim+input=100+tokens=50" },
      cached: { upstream: "sim+input=100+cached=60+tokens=50", price: cached },
      // Three tenths of a nano-credit and two tenths: half of one together, nothing apart.
      fine: { upstream: "sim+input=1+tokens=1", price: { input: "0.0003", output: "0.0002" } },
      missing: { upstream: "sim+tokens=20+usage=missing" },
      negative: { upstream: "sim+tokens=20+usage=negative" },
      absurd: { upstream: "sim+tokens=20+usage=absurd" },
      string: { upstream: "sim+tokens=20+usage=string" },
      // More input than the bytes of the request could be: beyond what was set aside.
      thirsty: { upstream: "sim+input=90000+tokens=10" },
      refusing: { upstream: "sim+fail=500" },
      breaking: { upstream: "sim+tokens=9+fail=reset@4" },
      recovering: { upstream: "sim+input=100+tokens=50+fail=500+failures=1" },
    },
  });
});
afterAll(() => gateway.stop());

const askAs = ({ secret }: { secret: string }, fields: object): Promise<Reply> =>
  ask(gateway, fields, [...bearer(secret), ...JSON_TYPE]);

const alarms = async (kind: string): Promise<number> => {
  const line = (await gateway.metrics()).split("\n").find((text) => text.includes(`alarms_total{kind="${kind}"}`));
  return Number(line?.split(" ").at(-1) ?? 0);
};

test.each([false, true])(
  "a completed request costs the price of its provider's usage and leaves one record, stream %s [MON-21] [MON-29]",
  async (stream) => {
    const key = await issueKey(gateway, { credit: "1" });
    expect((await askAs(key, { model: "measured", stream })).status).toBe(200);

    expect(await chargesOf(gateway, key)).toMatchObject([
      { kind: "completed", amount: "-0.0003", model: "measured", input_tokens: 100, output_tokens: 50 },
    ]);
    expect(await spentToday(gateway, key)).toMatchObject({ cost: "0.0003", requests: 1, cut_off: 0 });
  },
);

test("cached input costs its own price, and a token key pays for it all the same [MON-21] [MON-28]", async () => {
  const credit = await issueKey(gateway, { credit: "1" });
  const tokens = await issueKey(gateway, { mode: "token_budget", budget: 1_000_000 });
  await askAs(credit, { model: "cached" });
  const url = { ...gateway, publicUrl: `${gateway.publicUrl}/token` };
  await ask(url, { model: "cached" }, [...bearer(tokens.secret), ...JSON_TYPE]);

  // 40 × 1,000 + 60 × 100 + 50 × 4,000 nano-credits.
  expect(await chargesOf(gateway, credit)).toMatchObject([{ amount: "-0.000246" }]);
  expect((await readUsage(gateway, tokens.secret)).tokens).toMatchObject({ used: 150, input: 100, output: 50 });
});

test("fractions of a nano-credit are added up and rounded once, half up [MON-2] [MON-3]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  await askAs(key, { model: "fine" });

  expect(await chargesOf(gateway, key)).toMatchObject([{ amount: "-0.000000001" }]);
});

test.each(["missing", "negative", "absurd", "string"])(
  "a usage that is %s is replaced by our own count, and the operator is told [MON-22] [MON-24]",
  async (model) => {
    const key = await issueKey(gateway, { credit: "1" });
    const before = await alarms("usage_estimated");
    expect((await askAs(key, { model, stream: true })).status).toBe(200);
    const [charge] = await chargesOf(gateway, key);

    expect(charge?.output_tokens).toBeGreaterThanOrEqual(15);
    expect(charge?.output_tokens).toBeLessThanOrEqual(40);
    expect(charge?.input_tokens).toBeLessThan(100);
    expect(await alarms("usage_estimated")).toBe(before + 1);
  },
);

test("a charge above the reservation draws on what is not reserved [MON-25]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  await askAs(key, { model: "thirsty", max_tokens: 10 });

  expect(await chargesOf(gateway, key)).toMatchObject([{ amount: "-0.09004" }]);
});

test("a charge takes what is there and no more; the house bears the rest and the operator is told [MON-26] [MON-27]", async () => {
  const key = await issueKey(gateway, { credit: "0.001" });
  const before = await alarms("overrun");
  expect((await askAs(key, { model: "thirsty", max_tokens: 10 })).status).toBe(200);

  expect((await readUsage(gateway, key.secret)).credits).toMatchObject({ balance: 0, used: 0.001, reserved: 0 });
  expect(await alarms("overrun")).toBe(before + 1);
});

test.each([
  ["before content", { model: "refusing" }, 502],
  ["after content", { model: "breaking", stream: true }, 200],
])(
  "a provider that fails %s is not paid for, and the failure is written down [MON-32] [MON-33] [RTY-4]",
  async (_when, fields, status) => {
    const key = await issueKey(gateway, { credit: "1" });
    expect((await askAs(key, fields)).status).toBe(status);

    expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "upstream_failed", amount: "0" }]);
    expect(await spentToday(gateway, key)).toMatchObject({ cost: "0", requests: 1, cut_off: 0 });
    expect((await readUsage(gateway, key.secret)).credits).toMatchObject({ balance: 1, reserved: 0 });
  },
);

test("a request that was answered with a 5xx can be sent again and is charged once [RTY-4]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const first = await askAs(key, { model: "recovering" });
  const second = await askAs(key, { model: "recovering" });

  expect([first.status, second.status]).toEqual([502, 200]);
  expect((await readUsage(gateway, key.secret)).credits.used).toBe(0.0003);
});
