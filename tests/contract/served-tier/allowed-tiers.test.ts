import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../../support/gateway-process.ts";
import { translates } from "../../support/provider-dialect.ts";
import { until } from "../../support/until.ts";
import { ask, CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { chargesOf, type IssuedKey, issueKey, operate } from "../operator.ts";
import { expectRefused } from "../refused.ts";

const OPERATIONS = [CHAT, RESPONSES, MESSAGE];
const PRICE = {
  input: "1",
  output: "4",
  when: ["flex", "priority", "fast"].map((tier) => ({ tier, times: "2" })),
};
/** A hundred tokens in and ten out. */
const PLAIN = "-0.00014";
const DOUBLE = "-0.00028";
const SIM = "sim+input=100+tokens=10";

const isMessages = ({ dialect }: Operation): boolean => dialect === "messages";
const fieldOf = (operation: Operation): string => (isMessages(operation) ? "speed" : "service_tier");
const tierOf = (operation: Operation): string => (isMessages(operation) ? "fast" : "priority");
const modelOf = ({ dialect }: Operation): string => `sold-${dialect}`;

let gateway: GatewayProcess;
beforeAll(async () => {
  const models = OPERATIONS.flatMap((operation) => [
    [modelOf(operation), modelFor(operation, SIM, { price: PRICE })],
    [`dearer-${operation.dialect}`, modelFor(operation, `${SIM}+tier=${tierOf(operation)}`, { price: PRICE })],
  ]);
  gateway = await startGatewayProcess({ models: Object.fromEntries(models) as Record<string, TestModel> });
});
afterAll(() => gateway.stop());

let made = 0;
/** A key below a team below an organisation that pays, and how each of them is told which tiers it allows. */
async function holders() {
  const account = async (parent: string | null): Promise<string> => {
    const { account: opened } = await operate<{ account: { id: string } }>(gateway, "POST /accounts", {
      name: `Account ${++made}`,
      parent,
    });
    return opened.id;
  };
  const organisation = await account(null);
  await operate(gateway, `POST /accounts/${organisation}/topups`, { amount: "1", reference: organisation });
  const team = await account(organisation);
  const key = await issueKey(gateway, { account: team });
  const set = {
    key: (tiers: string[] | null) => operate(gateway, `PATCH /keys/${key.id}`, { tiers }),
    account: (tiers: string[] | null) => operate(gateway, `POST /accounts/${team}/tiers`, { tiers }),
    parent: (tiers: string[] | null) => operate(gateway, `POST /accounts/${organisation}/tiers`, { tiers }),
  };
  return { key, set };
}

const HOLDERS = ["key", "account", "parent"] as const;

describe.skipIf(translates()).each(OPERATIONS)("$dialect", (operation) => {
  const field = fieldOf(operation);
  const tier = tierOf(operation);
  const send = (key: IssuedKey, fields: object) =>
    ask(operation, { gateway, key: key.secret, fields: { model: modelOf(operation), ...fields } });
  const paid = async (key: IssuedKey, fields: object): Promise<unknown> => {
    expect((await send(key, fields)).status).toBe(200);
    return ((await chargesOf(gateway, key)) as { amount: string }[])[0]?.amount;
  };
  const refused = async (key: IssuedKey): Promise<string> =>
    expectRefused(operation, await send(key, { [field]: tier }), {
      status: 403,
      code: "key_disabled",
      param: operation.format === "A" ? field : null,
    });

  test.each(HOLDERS)(
    "a tier that the %s may not ask for is refused by name, and served once it may [KEY-25]",
    async (holder) => {
      const { key, set } = await holders();
      expect(await paid(key, { [field]: tier })).toBe(DOUBLE);

      await set[holder](["flex"]);
      const calls = (await gateway.witness()).length;
      const who = holder === "key" ? "This API key" : "The account of this API key";
      expect(await refused(key)).toBe(`${who} can't ask for ${field} '${tier}'. Use 'flex', or remove \`${field}\`.`);
      await set[holder]([]);
      // What it is refused for may be what was said a moment ago; what it is allowed is what is said now.
      await until(
        async () => (await refused(key)) === `${who} can't ask for ${field} '${tier}'. Remove \`${field}\`.`,
        "the list is empty",
      );
      expect((await gateway.witness()).length).toBe(calls);
      expect(await paid(key, {})).toBe(PLAIN);

      for (const tiers of [["flex", tier], null]) {
        await set[holder](tiers);
        await until(async () => (await send(key, { [field]: tier })).status === 200, "the tier is allowed");
        expect(await paid(key, { [field]: tier })).toBe(DOUBLE);
        await set[holder]([]);
        await refused(key);
      }
    },
  );

  test("every list on the way to the root has to have the tier", async () => {
    const { key, set } = await holders();
    await set.key([tier]);
    await set.account(["flex", tier]);
    await set.parent([tier]);
    expect(await paid(key, { [field]: tier })).toBe(DOUBLE);

    await set.parent(["flex"]);
    await refused(key);
  });

  test("what a provider serves by itself is not the key's to ask for, and is served as before", async () => {
    const { key, set } = await holders();
    await set.key([]);

    expect(await paid(key, { model: `dearer-${operation.dialect}` })).toBe(PLAIN);
  });

  test("the key is told which tiers it may ask for", async () => {
    const { key, set } = await holders();
    const told = async (): Promise<string> => {
      const headers = { authorization: `Bearer ${key.secret}` };
      const usage = await fetch(`${gateway.publicUrl}/v1/usage`, { headers });
      return ((await usage.json()) as { explanation: string }).explanation;
    };
    expect(await told()).not.toContain("tiers");

    const tells = (words: string) => until(async () => (await told()).includes(words), words);
    await set.account(["flex", tier]);
    await set.parent([tier]);
    await tells(`Service tiers this key may ask for: default, ${tier}.`);
    await set.key([]);
    await tells("Service tiers this key may ask for: default.");
  });
});
