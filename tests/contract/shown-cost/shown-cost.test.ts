import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../../support/gateway-process.ts";
import { type LoggedRequest, requestsDuring } from "../../support/request-log.ts";
import { openStream, readAll } from "../open-stream.ts";
import { ask, CHAT, COUNT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { chargesOf, issueKey, type IssuedKey } from "../operator.ts";

const OPERATIONS = [CHAT, RESPONSES, MESSAGE];
const named = (what: string, { dialect }: Operation): string => `${what}-${dialect}`;

const UPSTREAMS: Record<string, { upstream: string } & Partial<TestModel>> = {
  measured: { upstream: "sim+input=100+tokens=50" },
  // More input than the bytes of the request could be: a small balance cannot pay for it.
  thirsty: { upstream: "sim+input=90000+tokens=10" },
  failing: { upstream: "sim+fail=500" },
};

let gateway: GatewayProcess;
beforeAll(async () => {
  const models = OPERATIONS.flatMap((operation) =>
    Object.entries(UPSTREAMS).map(([what, { upstream }]) => [named(what, operation), modelFor(operation, upstream)]),
  );
  gateway = await startGatewayProcess({ models: Object.fromEntries(models) as Record<string, TestModel> });
});
afterAll(() => gateway.stop());

/** What the ledger took for the requests of a key, newest first, as headers and log lines write it. */
const taken = async (key: IssuedKey): Promise<string[]> =>
  (await chargesOf(gateway, key)).map(({ amount }) => amount.replace("-", ""));

async function lineOf(work: () => Promise<unknown>): Promise<LoggedRequest> {
  const { requests } = await requestsDuring(gateway, work);
  expect(requests).toHaveLength(1);
  return requests[0] as LoggedRequest;
}

describe.each(OPERATIONS)("$path", (operation) => {
  const model = named("measured", operation);

  test("a plain response and its log line carry what the ledger charged, in credits [HDR-18]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    let header: unknown;
    const line = await lineOf(async () => {
      header = (await ask(operation, { gateway, key: key.secret, fields: { model } })).headers["x-tollgate-cost"];
    });

    const [charge] = await taken(key);
    expect(Number(charge)).toBeGreaterThan(0);
    expect(header).toBe(charge);
    expect(line).toMatchObject({ model, cost: charge, price_version: 1 });
    expect(line).not.toHaveProperty("charged_tokens");
  });

  test("a key with a token budget is shown the tokens it was charged, and no credits [HDR-18]", async () => {
    const key = await issueKey(gateway, { mode: "token_budget", budget: 1_000_000 });
    let headers: Record<string, unknown> = {};
    const line = await lineOf(async () => {
      ({ headers } = await ask(operation, { gateway, key: key.secret, origin: "/token", fields: { model } }));
    });

    expect(await taken(key)).toEqual(["150"]);
    expect(headers["x-tollgate-charged-tokens"]).toBe("150");
    expect(headers).not.toHaveProperty("x-tollgate-cost");
    expect(line).toMatchObject({ model, charged_tokens: 150, price_version: 1 });
    expect(line).not.toHaveProperty("cost");
  });

  test("when the balance cannot pay for all of it, header and log line show what it did pay [HDR-18]", async () => {
    const key = await issueKey(gateway, { credit: "0.05" });
    const fields = { model: named("thirsty", operation), [operation.limitField]: 10 };
    let header: unknown;
    const line = await lineOf(async () => {
      header = (await ask(operation, { gateway, key: key.secret, fields })).headers["x-tollgate-cost"];
    });

    expect(await taken(key)).toEqual(["0.05"]);
    expect(header).toBe("0.05");
    expect(line).toMatchObject({ cost: "0.05" });
  });

  test("a stream has no cost in its headers, and its log line has it [HDR-18]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    let headers: Record<string, unknown> = {};
    const line = await lineOf(async () => {
      const stream = await openStream(operation, { gateway, key: key.secret, fields: { model } });
      headers = stream.headers;
      await readAll(stream);
    });

    expect(headers).not.toHaveProperty("x-tollgate-cost");
    expect(line).toMatchObject({ streamed: true, cost: (await taken(key))[0], price_version: 1 });
  });

  test.each([false, true])("a replay costs 0 and says so, stream %s [HDR-18]", async (stream) => {
    const key = await issueKey(gateway, { credit: "1" });
    const repeated = { gateway, key: key.secret, headers: ["idempotency-key", "once"], fields: { model, stream } };
    await ask(operation, repeated);
    let replay: Record<string, unknown> = {};
    const line = await lineOf(async () => {
      replay = (await ask(operation, repeated)).headers;
    });

    expect(replay).toMatchObject({ "idempotent-replayed": "true", "x-tollgate-cost": "0" });
    expect(line).toMatchObject({ model, cost: "0", price_version: 1 });
    expect(await taken(key)).toHaveLength(1);
  });

  test("a request that fails at its provider is logged with its model, its price version and a cost of 0", async () => {
    const failing = named("failing", operation);
    const line = await lineOf(() => ask(operation, { gateway, fields: { model: failing } }));

    expect(line).toMatchObject({ status: 502, model: failing, cost: "0", price_version: 1 });
  });

  test("a request that is refused is logged with the model it asked for, known or not", async () => {
    const poor = await issueKey(gateway, { credit: "0" });
    const unpaid = await lineOf(() => ask(operation, { gateway, key: poor.secret, fields: { model } }));
    const unknown = await lineOf(() => ask(operation, { gateway, fields: { model: 'no "such" model' } }));

    expect(unpaid).toMatchObject({ status: 402, model, cost: "0", price_version: 1 });
    expect(unknown).toMatchObject({ status: 404, model: 'no "such" model' });
    expect(unknown).not.toHaveProperty("cost");
  });
});

test("counting tokens is logged with its model, and has no cost", async () => {
  const model = named("measured", MESSAGE);
  const line = await lineOf(() => ask(COUNT, { gateway, fields: { model } }));

  expect(line).toMatchObject({ status: 200, route: "count_tokens", model });
  expect(line).not.toHaveProperty("cost");
});
