import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { readUsage } from "../get-usage/read-usage.ts";
import { ask, CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { issueKey } from "../operator.ts";
import { expectRefused } from "../refused.ts";

const WORDS = 6_000;
const OUTPUT = 100;
/** Bytes of the prompt: its bound. */
const BOUND = 5 * WORDS;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      [CHAT, RESPONSES, MESSAGE].map((operation) => [
        operation.dialect,
        modelFor(operation, `sim+tokens=20+input=${WORDS}`),
      ]),
    ),
  });
});
afterAll(() => gateway.stop());

const prompting = ({ dialect, limitField }: Operation, text: string): object => ({
  model: dialect,
  [limitField]: OUTPUT,
  ...(dialect === "responses" ? { input: text } : { messages: [{ role: "user", content: text }] }),
});

/** A key with tokens for this, by its unit and origin. A token costs a millionth of a credit, and four of output. */
const keys = (tokens: number): { order: Parameters<typeof issueKey>[1]; origin: string }[] => [
  { order: { mode: "token_budget", budget: tokens + OUTPUT }, origin: "/token" },
  { order: { credit: ((tokens + 4 * OUTPUT) / 1_000_000).toFixed(6) }, origin: "" },
];

describe.each([CHAT, RESPONSES, MESSAGE])("$dialect", (operation) => {
  const fields = prompting(operation, "word ".repeat(WORDS));

  test("a prompt starts on half of its bound when it has a token for five bytes, in both units [MON-47]", async () => {
    for (const { order, origin } of keys(BOUND / 2)) {
      const { secret: key } = await issueKey(gateway, order);
      expect((await ask(operation, { gateway, key, origin, fields })).status).toBe(200);
    }
  });

  test("a refusal near the edge says what the text needs, and a key with that much starts it [MON-47] [MON-19]", async () => {
    const { secret: key } = await issueKey(gateway, { mode: "token_budget", budget: WORDS + 2_000 });
    const refused = await ask(operation, { gateway, key, origin: "/token", fields });
    const message = expectRefused(operation, refused, { status: 402, code: "insufficient_credit" });
    const needed = Number(/needs at least ([\d,]+) tokens/.exec(message)?.[1]?.replaceAll(",", ""));
    expect(needed).toBeGreaterThan(WORDS + OUTPUT);
    expect(needed).toBeLessThan(2 * WORDS);

    const { secret: enough } = await issueKey(gateway, { mode: "token_budget", budget: needed });
    expect((await ask(operation, { gateway, key: enough, origin: "/token", fields })).status).toBe(200);
    const { secret: short } = await issueKey(gateway, { mode: "token_budget", budget: needed - 1 });
    expect((await ask(operation, { gateway, key: short, origin: "/token", fields })).status).toBe(402);
  });

  test("a request that is counted is one request of its rate, whether it starts or not [MON-47] [LIM-4]", async () => {
    for (const budget of [BOUND / 2, WORDS + 2_000]) {
      const { secret: key } = await issueKey(gateway, { mode: "token_budget", budget, rpm_limit: 10 });
      const { headers } = await ask(operation, { gateway, key, origin: "/token", fields });
      expect(headers["x-ratelimit-remaining-requests"]).toBe("9");
    }
  });

  test("a refusal far from the edge says what is needed at least and at most, and both are true [MON-47] [MON-19]", async () => {
    const answerTo = async (budget: number) => {
      const { secret: key } = await issueKey(gateway, { mode: "token_budget", budget });
      return ask(operation, { gateway, key, origin: "/token", fields });
    };
    const message = expectRefused(operation, await answerTo(500), { status: 402, code: "insufficient_credit" });
    const [, least, most] = /needs at least ([\d,]+) tokens \(at most ([\d,]+)\)/.exec(message) ?? [];
    const [atLeast, atMost] = [least, most].map((figure) => Number(figure?.replaceAll(",", "")));

    expect(atMost).toBeGreaterThan(BOUND);
    expect(atLeast).toBeLessThan(BOUND / 3);
    expect((await answerTo(atMost ?? 0)).status).toBe(200);
    expect((await answerTo((atLeast ?? 0) - 1)).status).toBe(402);
    expect((await answerTo(BOUND / 2)).status).toBe(200);
  });

  test("what is not text stays at a token for each byte [MON-47]", async () => {
    const odd = prompting(operation, "7 = 1 ".repeat(WORDS / 2));
    const { secret: key } = await issueKey(gateway, { mode: "token_budget", budget: WORDS + 2_000 });
    const refused = await ask(operation, { gateway, key, origin: "/token", fields: odd });
    const message = expectRefused(operation, refused, { status: 402, code: "insufficient_credit" });
    expect(Number(/needs at least ([\d,]+) tokens/.exec(message)?.[1]?.replaceAll(",", ""))).toBeGreaterThan(3 * WORDS);
  });
});

test("several at once on money for two of them start two, and no more is charged than there was [MON-47] [MON-8]", async () => {
  const { secret: key } = await issueKey(gateway, { mode: "token_budget", budget: 26_000 });
  const fields = prompting(CHAT, "word ".repeat(WORDS));
  const asked = await Promise.all(
    Array.from({ length: 8 }, () => ask(CHAT, { gateway, key, origin: "/token", fields })),
  );

  expect(asked.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2);
  const { tokens } = await readUsage(gateway, key);
  expect(tokens.used).toBeLessThanOrEqual(26_000);
  expect(tokens.reserved).toBe(0);
});
