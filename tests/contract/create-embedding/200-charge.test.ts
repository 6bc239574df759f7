import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { until } from "../../support/until.ts";
import { readUsage } from "../get-usage/read-usage.ts";
import { chargesOf, issueKey, operate, spentToday } from "../operator.ts";
import { ask, EMBEDDINGS, modelFor } from "../operations.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      // Eight tokens in at 20 nano-credits, as in the vector of a real bill.
      small: modelFor(EMBEDDINGS, "sim-embed+input=8", { price: { input: "0.02" } }),
      missing: modelFor(EMBEDDINGS, "sim-embed+usage=missing"),
      negative: modelFor(EMBEDDINGS, "sim-embed+usage=negative"),
      absurd: modelFor(EMBEDDINGS, "sim-embed+usage=absurd"),
      string: modelFor(EMBEDDINGS, "sim-embed+usage=string"),
      // More than the bytes of the request could be.
      thirsty: modelFor(EMBEDDINGS, "sim-embed+input=90000"),
      refusing: modelFor(EMBEDDINGS, "sim-embed+fail=500"),
      waiting: modelFor(EMBEDDINGS, "sim-embed+pause=0"),
      both: modelFor(EMBEDDINGS, "sim-embed+fail=500", {
        moreRoutes: [{ provider: "simulator", upstream_model: "sim-embed+input=3", format: "embeddings", priority: 1 }],
      }),
    },
  });
});
afterAll(() => gateway.stop());

const alarms = async (kind: string): Promise<number> => {
  const line = (await gateway.metrics()).split("\n").find((text) => text.includes(`alarms_total{kind="${kind}"}`));
  return Number(line?.split(" ").at(-1) ?? 0);
};

test("a completed request costs the price of its provider's usage to the nano, and leaves one record [EMB-10]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const reply = await ask(EMBEDDINGS, { gateway, key: key.secret, fields: { model: "small", input: "Hello there" } });

  expect(reply.headers["x-tollgate-cost"]).toBe("0.00000016");
  expect(JSON.parse(reply.text)).toMatchObject({ usage: { prompt_tokens: 8, total_tokens: 8 } });
  expect(await chargesOf(gateway, key)).toMatchObject([
    { kind: "completed", amount: "-0.00000016", model: "small", input_tokens: 8, output_tokens: 0 },
  ]);
  expect(await spentToday(gateway, key)).toMatchObject({ cost: "0.00000016", requests: 1, cut_off: 0 });
  expect((await readUsage(gateway, key.secret)).tokens).toMatchObject({ input: 8, output: 0, total: 8 });
});

test("it is in the records of requests, without a word of what was embedded [EMB-14]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const input = "a very secret sentence";
  await ask(EMBEDDINGS, { gateway, key: key.secret, fields: { model: "small", input } });
  type Rows = { data: object[] };
  let rows: object[] = [];
  await until(async () => {
    rows = (await operate<Rows>(gateway, `GET /requests?key=${key.id}`)).data;
    return rows.length === 1;
  }, "the record is written");

  expect(rows).toMatchObject([
    { route: "embeddings", format: "embeddings", model: "small", status: 200, input_tokens: 8, output_tokens: 0 },
  ]);
  expect(JSON.stringify(rows)).not.toContain("secret sentence");
});

test.each(["missing", "negative", "absurd", "string"])(
  "a usage that is %s is replaced by our own count, and the operator is told [EMB-10]",
  async (model) => {
    const key = await issueKey(gateway, { credit: "1" });
    const before = await alarms("usage_estimated");
    const fields = { model, input: ["The quick brown fox", "jumps over the lazy dog"] };
    const reply = await ask(EMBEDDINGS, { gateway, key: key.secret, fields });

    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.text)).toMatchObject({ usage: { prompt_tokens: 10, total_tokens: 10 } });
    expect(await chargesOf(gateway, key)).toMatchObject([{ amount: "-0.00001", input_tokens: 10 }]);
    expect(await alarms("usage_estimated")).toBe(before + 1);
  },
);

test("of lists of tokens our own count is their length", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  await ask(EMBEDDINGS, { gateway, key: key.secret, fields: { model: "missing", input: [[1, 2], [3]] } });

  expect(await chargesOf(gateway, key)).toMatchObject([{ amount: "-0.000003", input_tokens: 3 }]);
});

test("what a provider counts beyond what was set aside is not charged, and the operator is told [EMB-9] [EMB-10]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const before = await alarms("usage_estimated");
  const reply = await ask(EMBEDDINGS, { gateway, key: key.secret, fields: { model: "thirsty", input: "Hello" } });

  expect(reply.status).toBe(200);
  // Five bytes, and four for what stands around them.
  expect(await chargesOf(gateway, key)).toMatchObject([{ amount: "-0.000009" }]);
  expect(await alarms("usage_estimated")).toBe(before + 1);
});

test("a provider that fails is not paid for; the next route is asked, and what it counts is charged", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const failed = await ask(EMBEDDINGS, { gateway, key: key.secret, fields: { model: "refusing" } });
  const served = await ask(EMBEDDINGS, { gateway, key: key.secret, fields: { model: "both" } });

  expect([failed.status, served.status]).toEqual([502, 200]);
  expect(await chargesOf(gateway, key)).toMatchObject([
    { kind: "completed", amount: "-0.000003" },
    { kind: "upstream_failed", amount: "0" },
  ]);
});

test("a client that leaves pays for the input, as for any plain request, and there is no usage record [EMB-13]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const body = JSON.stringify({ model: "waiting", input: "The quick brown fox" });
  const call = request(`${gateway.publicUrl}/v1/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${key.secret}`, "content-type": "application/json" },
  });
  call.on("error", () => undefined);
  call.end(body);
  await until(async () => (await gateway.witness()).some(({ paused }) => paused), "the provider is at work");
  call.destroy();
  await until(async () => (await chargesOf(gateway, key)).length > 0, "the charge is booked");

  expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "client_gone", amount: "-0.000004", input_tokens: 4 }]);
  expect(await spentToday(gateway, key)).toMatchObject({ cut_off: 1 });
  expect(await readUsage(gateway, key.secret)).toMatchObject({ credits: { reserved: 0 }, requests: { total: 0 } });
});

test("many at once never take more than there is, and leave nothing reserved", async () => {
  // Enough for thirty-three of nine tokens at what is charged, and for fewer at once.
  const key = await issueKey(gateway, { credit: "0.0001" });
  const fields = { model: "plain", input: [1, 2, 3] };
  const replies = await Promise.all(
    Array.from({ length: 60 }, () =>
      ask(EMBEDDINGS, { gateway, key: key.secret, fields: { ...fields, model: "both" } }),
    ),
  );
  const served = replies.filter(({ status }) => status === 200).length;
  const { credits } = await readUsage(gateway, key.secret);

  expect(replies.every(({ status }) => [200, 402, 429].includes(status))).toBe(true);
  expect(served).toBeGreaterThan(0);
  expect(credits).toMatchObject({ reserved: 0, used: Number((served * 0.000003).toFixed(9)) });
  expect(credits.balance).toBeGreaterThanOrEqual(0);
});
