import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../../support/gateway-process.ts";
import { readUsage } from "../get-usage/read-usage.ts";
import { openStream, readAll } from "../open-stream.ts";
import { ask, CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { chargesOf, issueKey } from "../operator.ts";
import { expectRefused } from "../refused.ts";

const OPERATIONS = [CHAT, RESPONSES, MESSAGE];
const LONG = { input_above: 272_000, input: "5", output: "22.5" };
const STEPPED = { input: "2.5", output: "15", when: [LONG] };
const SHORT_STEP = { input: "1", output: "4", when: [{ input_from: 3_001, times: "2" }] };
const UNSOLD = { input: "1", output: "4", when: [{ input_above: 3_000, sold: false }] };

/** Input that the provider counts, and what that and ten tokens of output cost. */
const CHARGES = [
  // × 2,500 nano-credits, and 10 × 15,000.
  [271_999, "-0.6801475"],
  [272_000, "-0.68015"],
  // × 5,000, and 10 × 22,500.
  [272_001, "-1.36023"],
] as const;

/** Always and never, and what a hundred tokens of input and ten of output cost then. */
const HOURS = [
  ["00:00-24:00", "-0.00084"],
  [`${weekdayIn(3)} 00:00-24:00`, "-0.00014"],
] as const;

function weekdayIn(days: number): string {
  const at = new Date(Date.now() + days * 86_400_000);
  return at.toLocaleDateString("en-US", { weekday: "short", timeZone: "UTC" }).toLowerCase();
}

const named = (what: string | number, { dialect }: Operation): string => `${what}-${dialect}`;

let gateway: GatewayProcess;
beforeAll(async () => {
  const models = OPERATIONS.flatMap((operation) => [
    ...CHARGES.map(([input]) => [
      named(input, operation),
      modelFor(operation, `sim+input=${input}+tokens=10`, { contextWindow: 1_000_000, price: STEPPED }),
    ]),
    [named("waiting", operation), modelFor(operation, "sim+input=100+tokens=5+pause=2", { price: SHORT_STEP })],
    ...HOURS.map(([hours]) => [
      named(`at ${hours}`, operation),
      modelFor(operation, "sim+input=100+tokens=10", {
        price: {
          input: "1",
          output: "4",
          when: [
            { hours, times: "2" },
            { hours, input_above: 90, times: "3" },
          ],
        },
      }),
    ]),
    [named("unsold", operation), modelFor(operation, "sim+input=100+tokens=5", { price: UNSOLD })],
  ]);
  gateway = await startGatewayProcess({ models: Object.fromEntries(models) as Record<string, TestModel> });
});
afterAll(() => gateway.stop());

const saying = ({ dialect, limitField }: Operation, model: string, text: string): object => ({
  model,
  [limitField]: 20,
  ...(dialect === "responses" ? { input: text } : { messages: [{ role: "user", content: text }] }),
});

describe.each(OPERATIONS)("$dialect", (operation) => {
  test.each(CHARGES)(
    "an input of %i tokens costs what its side of the step costs, to the nano [MON-21]",
    async (input, amount) => {
      const key = await issueKey(gateway, { credit: "10" });
      const model = named(input, operation);
      expect((await ask(operation, { gateway, key: key.secret, fields: { model } })).status).toBe(200);

      expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "completed", amount, input_tokens: input }]);
    },
  );

  test.each(HOURS)("a request costs what the hours %s make of it [MON-21]", async (hours, amount) => {
    const key = await issueKey(gateway, { credit: "10" });
    const model = named(`at ${hours}`, operation);
    expect((await ask(operation, { gateway, key: key.secret, fields: { model } })).status).toBe(200);

    expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "completed", amount }]);
  });

  test("an input whose bytes are past a step, and whose words are not, is held at the price of its words [MON-6]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    const held = async (words: number): Promise<number> => {
      const fields = saying(operation, named("waiting", operation), "word ".repeat(words));
      const stream = await openStream(operation, { gateway, key: key.secret, fields });
      await once(stream, "readable");
      const { credits } = await readUsage(gateway, key.secret);
      await gateway.release();
      await readAll(stream);
      return Math.round(credits.reserved * 1e9);
    };

    // 7,500 bytes, of which no vocabulary makes more than 3,000 tokens; and 25,000, of which one might.
    const counted = await held(1_500);
    expect(counted).toBeGreaterThan(1_500 * 1_000);
    expect(counted).toBeLessThan(3_000 * 1_000 + 20 * 4_000);
    expect(await held(5_000)).toBeGreaterThan(25_000 * 2_000);
  }, 60_000);

  test("an input past what is sold is refused on credit before a provider is asked, and served on a token budget", async () => {
    const fields = saying(operation, named("unsold", operation), "word ".repeat(3_500));
    const { secret: key } = await issueKey(gateway, { credit: "1" });
    const refused = await ask(operation, { gateway, key, fields });
    const message = expectRefused(operation, refused, { status: 400, code: "context_length_exceeded" });
    expect(message).toMatch(/Input is about 3,5\d\d tokens; \S+ has no price for more than 3,000/);

    const shorter = saying(operation, named("unsold", operation), "word ".repeat(2_500));
    expect((await ask(operation, { gateway, key, fields: shorter })).status).toBe(200);
    const { secret: free } = await issueKey(gateway, { mode: "token_budget", budget: 1_000_000 });
    expect((await ask(operation, { gateway, key: free, origin: "/token", fields })).status).toBe(200);
  }, 60_000);
});
