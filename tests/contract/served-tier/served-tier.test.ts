import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../../support/gateway-process.ts";
import { translates } from "../../support/provider-dialect.ts";
import { ask, CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { chargesOf, issueKey } from "../operator.ts";
import { expectRefused } from "../refused.ts";

const OPERATIONS = [CHAT, RESPONSES, MESSAGE];
const PRICE = {
  input: "1",
  output: "4",
  when: [
    { tier: "flex", times: "0.5" },
    { tier: "priority", times: "2" },
    { tier: "fast", times: "2" },
    { region: "us", times: "1.1" },
  ],
};
/** A hundred tokens in and ten out. */
const PLAIN = "-0.00014";
const DOUBLE = "-0.00028";
const HALF = "-0.00007";
const SIM = "sim+input=100+tokens=10";

const isMessages = ({ dialect }: Operation): boolean => dialect === "messages";
const fastest = (operation: Operation): object =>
  isMessages(operation) ? { speed: "fast" } : { service_tier: "priority" };

let gateway: GatewayProcess;
beforeAll(async () => {
  const named = OPERATIONS.flatMap((operation) =>
    Object.entries({
      asked: SIM,
      plain: `${SIM}+tier=${isMessages(operation) ? "standard" : "default"}`,
      dearer: `${SIM}+tier=${isMessages(operation) ? "fast" : "priority"}`,
      unnamed: `${SIM}+tier=ultrafast`,
      silent: `${SIM}+tier=none`,
      // 1,400,000 ticks are charged, a nano-credit is ten, and the provider's own rounding one.
      alike: `${SIM}+billed=1400011`,
      more: `${SIM}+billed=1400012`,
      elsewhere: `${SIM}+region=us`,
    }).map(([name, upstream]) => [`${name}-${operation.dialect}`, modelFor(operation, upstream, { price: PRICE })]),
  );
  const there = OPERATIONS.flatMap((operation) =>
    ["us", "eu"].map((region) => [
      `${region}-${operation.dialect}`,
      modelFor(operation, SIM, { price: PRICE, region }),
    ]),
  );
  const poor = OPERATIONS.map((operation) => [`poor-${operation.dialect}`, modelFor(operation, SIM)]);
  gateway = await startGatewayProcess({
    models: Object.fromEntries([...named, ...there, ...poor]) as Record<string, TestModel>,
  });
});
afterAll(async () => {
  const verified = await gateway.tollgate("ledger", "verify", "--recompute");
  await gateway.stop();
  expect(verified.code).toBe(0);
});

describe.skipIf(translates()).each(OPERATIONS)("$dialect", (operation) => {
  const charged = async (name: string, fields: object): Promise<unknown> => {
    const key = await issueKey(gateway, { credit: "1" });
    const model = `${name}-${operation.dialect}`;
    const reply = await ask(operation, { gateway, key: key.secret, fields: { model, ...fields } });
    expect(reply.status).toBe(200);
    const [charge] = (await chargesOf(gateway, key)) as { amount: string }[];
    return charge?.amount;
  };
  const told = async (): Promise<Record<string, unknown>> => (await gateway.witness()).at(-1)?.body as never;
  const alarms = async (kind = "served_otherwise"): Promise<number> =>
    Number(
      new RegExp(`^tollgate_money_alarms_total\\{kind="${kind}"\\} (\\d+)`, "m").exec(await gateway.metrics())?.[1],
    );

  test.each([false, true])("what is sold is asked for and charged, streamed: %s [BOD-24]", async (stream) => {
    expect(await charged("asked", { ...fastest(operation), stream })).toBe(DOUBLE);
    expect(await told()).toMatchObject(fastest(operation));
    expect(await charged("asked", { stream })).toBe(PLAIN);
    if (isMessages(operation)) return;
    expect(await charged("asked", { service_tier: "flex", stream })).toBe(HALF);
  });

  test("what is not had is not paid", async () => {
    const before = await alarms();

    expect(await charged("plain", fastest(operation))).toBe(PLAIN);
    expect(await alarms()).toBe(before);
  });

  test.each(["dearer", "unnamed"])(
    "what nobody asked for is not paid by the key, and raises an alarm: %s",
    async (name) => {
      const before = await alarms();

      expect(await charged(name, {})).toBe(PLAIN);
      expect(await alarms()).toBe(before + 1);
    },
  );

  test.each([false, true])("an answer that names no tier was served as everybody is, streamed: %s", async (stream) => {
    const before = await alarms();

    expect(await charged("silent", { stream })).toBe(PLAIN);
    expect(await alarms()).toBe(before);
    expect(await charged("silent", { ...fastest(operation), stream })).toBe(PLAIN);
    if (!isMessages(operation)) expect(await charged("silent", { service_tier: "flex", stream })).toBe(PLAIN);
    expect(await alarms()).toBe(before + (isMessages(operation) ? 1 : 2));
  });

  test.skipIf(isMessages(operation)).each([false, true])(
    "what the provider says that it bills is compared with the charge, streamed: %s",
    async (stream) => {
      const before = await alarms("billed_more");

      expect(await charged("alike", { stream })).toBe(PLAIN);
      expect(await alarms("billed_more")).toBe(before);
      expect(await charged("more", { stream })).toBe(PLAIN);
      expect(await alarms("billed_more")).toBe(before + 1);
    },
  );

  test.skipIf(!isMessages(operation))(
    "a region that the answer names is charged, with a tier and without",
    async () => {
      expect(await charged("elsewhere", {})).toBe("-0.000154");
      expect(await charged("elsewhere", fastest(operation))).toBe("-0.000308");
    },
  );

  test("the region of a route is charged where the price has it and the answer does not say another", async () => {
    const before = await alarms();

    // The simulated provider of messages says that it served anywhere.
    expect(await charged("us", {})).toBe(isMessages(operation) ? PLAIN : "-0.000154");
    expect(await charged("us", { stream: true })).toBe(isMessages(operation) ? PLAIN : "-0.000154");
    expect(await charged("eu", {})).toBe(PLAIN);
    expect(await alarms()).toBe(before);
  });

  test("what is not sold is refused by name, before a provider is asked [BOD-24]", async () => {
    const calls = (await gateway.witness()).length;
    const { secret: key } = await issueKey(gateway, { credit: "1" });
    const refused = async (model: string, fields: object): Promise<string> =>
      expectRefused(operation, await ask(operation, { gateway, key, fields: { model, ...fields } }), {
        status: 400,
        code: "invalid_request",
        param: isMessages(operation) ? "speed" : "service_tier",
      });

    expect(await refused(`poor-${operation.dialect}`, fastest(operation))).toContain("has no published price for");
    if (!isMessages(operation))
      expect(await refused(`asked-${operation.dialect}`, { service_tier: "ultra" })).toContain(
        "has no published price for 'ultra'. Use 'flex' or 'priority' or 'fast', or remove this field.",
      );
    const { secret: free } = await issueKey(gateway, { mode: "token_budget", budget: 1_000_000 });
    const fields = { model: `asked-${operation.dialect}`, ...fastest(operation) };
    const told = await ask(operation, { gateway, key: free, origin: "/token", fields });
    expect(told.text).toContain("Keys with a token budget are served in the usual tier.");
    expect((await gateway.witness()).length).toBe(calls);
  });
});
