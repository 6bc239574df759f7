import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../../support/gateway-process.ts";
import { translates } from "../../support/provider-dialect.ts";
import { until } from "../../support/until.ts";
import { openStream, readAll } from "../open-stream.ts";
import { ask, CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { chargesOf, type IssuedKey, issueKey } from "../operator.ts";
import { expectRefused } from "../refused.ts";

const SEARCHING = { input: "1", output: "4", tools: { web_search: "0.01" } };
const GROUNDED = { input: "1", output: "4", tools: { grounded_prompt: "0.01" } };
const PLAIN = { input: "1", output: "4" };
/** A hundred tokens in, ten out, and three searches that find five hundred each, where they are let. */
const SIM = "sim+input=100+tokens=10+searches=3+found=500";
const capabilities = { search_calls: 4, search_tokens: 600, reasoning: false };

/** Where a search is asked for, and how often it may be. */
const FORMATS = [
  {
    operation: MESSAGE,
    search: (most?: number) => ({
      tools: [{ type: "web_search_20250305", name: "web_search", ...(most !== undefined && { max_uses: most }) }],
    }),
    capOf: (body: { tools: { max_uses: number }[] }) => body.tools[0]?.max_uses,
    // A model that wants more than it may is told so, and reads again.
    readsOnce: 1,
    capField: "max_uses",
    words: '"text":"amber',
  },
  {
    operation: RESPONSES,
    search: (most?: number) => ({
      tools: [{ type: "web_search" }],
      ...(most !== undefined && { max_tool_calls: most }),
    }),
    capOf: (body: { max_tool_calls: number }) => body.max_tool_calls,
    readsOnce: 0,
    capField: "max_tool_calls",
    words: '"delta":"amber',
  },
] as const;

const WITHOUT = {};

let gateway: GatewayProcess;
beforeAll(async () => {
  const named = [MESSAGE, RESPONSES, CHAT].flatMap((operation) =>
    Object.entries({
      searching: modelFor(operation, SIM, { price: SEARCHING, capabilities }),
      paused: modelFor(operation, `${SIM}+pause=${operation === MESSAGE ? 16 : 4}`, { price: SEARCHING, capabilities }),
      pages: modelFor(operation, `${SIM}+pages=2`, { price: SEARCHING, capabilities }),
      heedless: modelFor(operation, `${SIM.replace("searches=3", "searches=20")}+heedless`, {
        price: SEARCHING,
        capabilities,
      }),
      poor: modelFor(operation, SIM, { price: PLAIN, capabilities }),
      // Whatever its name holds, and the window for each call.
      unknown: modelFor(operation, SIM, { price: SEARCHING, contextWindow: 1_000_000 }),
      queries: { ...modelFor(operation, SIM, { price: SEARCHING, capabilities }), spoken: "gemini" as const },
      prompts: { ...modelFor(operation, SIM, { price: GROUNDED, capabilities }), spoken: "gemini" as const },
      many: {
        ...modelFor(operation, SIM.replace("searches=3", "searches=50"), { price: SEARCHING, capabilities }),
        spoken: "gemini" as const,
      },
      held: {
        ...modelFor(operation, `${SIM}+pause=4`, { price: SEARCHING, capabilities }),
        spoken: "gemini" as const,
      },
      unsold: { ...modelFor(operation, SIM, { price: PLAIN, capabilities }), spoken: "gemini" as const },
      elsewhere: {
        ...modelFor(operation, SIM, { price: SEARCHING, capabilities }),
        spoken: operation === CHAT ? ("messages" as const) : ("chat" as const),
      },
    }).map(([name, model]) => [`${name}-${operation.dialect}`, model]),
  );
  gateway = await startGatewayProcess({ models: Object.fromEntries(named) as Record<string, TestModel> });
});
afterAll(async () => {
  const verified = await gateway.tollgate("ledger", "verify", "--recompute");
  await gateway.stop();
  expect(verified.code).toBe(0);
});

/** What is charged to a caller that leaves when it has read some words. */
async function leaveAt(response: IncomingMessage, words: string, key: IssuedKey) {
  let text = "";
  response.on("error", () => undefined);
  response.on("data", (chunk: Buffer) => (text += chunk.toString()));
  while (!text.includes(words)) await once(response, "data");
  response.destroy();
  await until(async () => (await chargesOf(gateway, key)).length === 1, "it is charged");
  await gateway.release();
  const [charge] = await chargesOf(gateway, key);
  return charge;
}

/** The price in nano-credits: input, output and searches. */
const priceOf = (input: number, output: number, searches: number): string =>
  `-${((input * 1_000 + output * 4_000 + searches * 10_000_000) / 1e9).toFixed(9).replace(/0+$/, "")}`;
/** What is read where so many find five hundred each, and one more attempt finds nothing. */
const inputOf = (searches: number, more: number): number =>
  100 * (1 + searches + more) + 500 * ((searches * (searches + 1)) / 2 + more * searches);

describe.skipIf(translates()).each(FORMATS)(
  "$operation.dialect",
  ({ operation, search, capOf, readsOnce, capField, words }) => {
    const modelOf = (name: string): string => `${name}-${operation.dialect}`;
    const fields = (name: string, more: object): object => ({
      model: modelOf(name),
      [operation.limitField]: 100,
      ...more,
    });
    const told = async (): Promise<never> => (await gateway.witness()).at(-1)?.body as never;
    const credit = async (amount = "1") => issueKey(gateway, { credit: amount });

    test.each([
      ["no cap", undefined, 4, 3],
      ["a higher cap", 9, 4, 3],
      ["a lower cap", 2, 2, 2],
    ])(
      "with %s, what was searched is charged, plain and streamed [BOD-47] [MON-51]",
      async (_, most, sent, searches) => {
        const more = searches < 3 ? readsOnce : 0;
        const due = priceOf(inputOf(searches, more), 10 + 4 * (searches + more), searches);
        for (const stream of [false, true]) {
          const key = await credit();
          const reply = await ask(operation, {
            gateway,
            key: key.secret,
            fields: { ...fields("searching", search(most)), stream },
          });
          expect(reply.status).toBe(200);
          expect(capOf(await told())).toBe(sent);
          expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "completed", amount: due }]);
        }
      },
    );

    test("a provider that searches more often than it was told takes its reservation at most [MON-52]", async () => {
      for (const stream of [false, true]) {
        const key = await credit("10");
        const fieldsOf = { ...fields("heedless", search(2)), stream };
        const reply = await ask(operation, { gateway, key: key.secret, fields: fieldsOf });
        expect(reply.status).toBe(200);
        expect(capOf(await told())).toBe(2);
        const [charge] = await chargesOf(gateway, key);
        const paid = -Number(charge?.amount);
        // Twenty searches came to 0.2; two of them and what they may bring were reserved.
        expect(paid).toBeGreaterThan(0.02);
        expect(paid).toBeLessThan(0.035);
        expect(charge?.kind).toBe("completed");
      }
      expect(await gateway.metrics()).toMatch(/tollgate_money_alarms_total\{kind="overrun"\} [1-9]/);
    });

    test("pages that a search found are read for nothing [MON-51]", async () => {
      const key = await credit();
      const tools = operation === MESSAGE ? [{ type: "web_fetch_20250910", name: "web_fetch" }] : [];
      const listed = [...(search() as { tools: object[] }).tools, ...tools];
      const reply = await ask(operation, {
        gateway,
        key: key.secret,
        fields: fields("pages", { ...search(), tools: listed }),
      });
      expect(reply.status).toBe(200);
      const isMessages = operation === MESSAGE;
      // One cap holds for both in responses, and each has its own in messages.
      const calls = isMessages ? 5 : 4;
      const [charge] = await chargesOf(gateway, key);
      expect(charge).toMatchObject({ amount: priceOf(inputOf(calls, 0), 10 + 4 * calls, 3) });
      expect(await gateway.metrics()).not.toMatch(/tollgate_money_alarms_total\{kind="unpriced_usage"\} [1-9]/);
    });

    test("a caller that leaves pays for the searches that were seen [CAN-18]", async () => {
      const key = await credit();
      const response = await openStream(operation, { gateway, key: key.secret, fields: fields("paused", search()) });
      const charge = await leaveAt(response, words, key);

      expect(charge?.kind).toBe("client_gone");
      // What a provider of responses has found is not shown.
      if (operation === MESSAGE) expect(charge?.input_tokens).toBe(inputOf(3, 0));
      const tokens = (charge?.input_tokens ?? 0) * 1_000 + (charge?.output_tokens ?? 0) * 4_000;
      expect(Math.round(-Number(charge?.amount) * 1e9)).toBe(tokens + 3 * 10_000_000);
    });

    test("a price without searches refuses them by name, and so does a key with a token budget [BOD-25]", async () => {
      const before = (await gateway.witness()).length;
      const refusal = { status: 400, code: "invalid_request", param: "tools.0.type" } as const;
      const { secret: key } = await credit();
      const poor = await ask(operation, { gateway, key, fields: fields("poor", search()) });
      const crossed = await ask(operation, { gateway, key, fields: fields("elsewhere", search()) });
      const { secret: budget } = await issueKey(gateway, { mode: "token_budget", budget: 1_000_000 });
      const tokens = await ask(operation, {
        gateway,
        key: budget,
        origin: "/token",
        fields: fields("searching", search()),
      });

      expect(expectRefused(operation, poor, refusal)).toContain(
        `${modelOf("poor")} has no published price for it (\`tools.web_search\`)`,
      );
      expect(expectRefused(operation, crossed, refusal)).toContain(
        "Only a provider of the request's own format runs this tool.",
      );
      expect(expectRefused(operation, tokens, refusal)).toContain("Keys with a token budget can't pay for web search.");
      expect((await gateway.witness()).length).toBe(before);
    });

    test("what searches may bring is reserved before they start [MON-50]", async () => {
      const limit = { [operation.limitField]: 100 };
      const needed = async (name: string, more: object): Promise<number> => {
        const { secret: key } = await credit("0.000001");
        const reply = await ask(operation, { gateway, key, fields: { ...fields(name, more), ...limit } });
        expect(reply.status).toBe(402);
        expect(reply.text.includes(`web searches are included; a lower ${capField} needs less.`)).toBe(
          more !== WITHOUT,
        );
        return Number(/needs at (?:least|most) ([\d.]+)/.exec(reply.text)?.[1]);
      };
      const without = await needed("searching", WITHOUT);
      const two = await needed("searching", search(2));
      const all = await needed("unknown", search());

      // Two searches, the prompt twice again, and 600 and 1,200 tokens of what they find, at the price of input.
      expect(two).toBeGreaterThan(0.02 + 0.0018);
      expect(two).toBeLessThan(0.02 + 0.0018 + 0.008 + 3 * without);
      // Eight searches, and the window after each.
      expect(all).toBeGreaterThan(0.08 + 8);
    });

    test("a stream ends with what its searches have come to in its usage", async () => {
      const key = await credit();
      const { text } = await readAll(
        await openStream(operation, { gateway, key: key.secret, fields: fields("searching", search()) }),
      );

      expect(text).toContain(
        operation === MESSAGE ? '"server_tool_use":{"web_search_requests":3' : '"type":"web_search_call"',
      );
    });
  },
);

/** What no request can cap, and what each of both prices counts. */
describe.skipIf(translates()).each([MESSAGE, RESPONSES, CHAT])("$dialect at Gemini", (operation) => {
  const asked =
    operation === CHAT
      ? { web_search_options: {} }
      : {
          tools: [operation === MESSAGE ? { type: "web_search_20250305", name: "web_search" } : { type: "web_search" }],
        };
  const fieldsOf = (name: string, more: object = {}): object => ({
    model: `${name}-${operation.dialect}`,
    [operation.limitField]: 100,
    ...asked,
    ...more,
  });

  test.each([false, true])(
    "searches are Google's, counted and cited, streamed: %s [BOD-47] [MON-51]",
    async (stream) => {
      for (const [name, searches] of [
        ["queries", 3],
        ["prompts", 1],
      ] as const) {
        const key = await issueKey(gateway, { credit: "1" });
        const reply = await ask(operation, { gateway, key: key.secret, fields: fieldsOf(name, { stream }) });

        expect(reply.status).toBe(200);
        expect((await gateway.witness()).at(-1)?.body).toHaveProperty("tools", [{ googleSearch: {} }]);
        expect(await chargesOf(gateway, key)).toMatchObject([
          { kind: "completed", amount: priceOf(100, 10 + 4 * 3, searches) },
        ]);
        expect(reply.text).toContain("https://found.example/0");
      }
    },
  );

  test("more searches than were reserved are the operator's [MON-52]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    const reply = await ask(operation, { gateway, key: key.secret, fields: fieldsOf("many") });
    const [charge] = await chargesOf(gateway, key);

    expect(reply.status).toBe(200);
    // Fifty searches come to half a credit.
    expect(-Number(charge?.amount)).toBeLessThan(0.06);
  });

  test("a client that leaves before anything is told has paid for one [CAN-18]", async () => {
    const words = { messages: '"text":"amber', responses: '"delta":"amber', chat: '"content":"amber' };
    const key = await issueKey(gateway, { credit: "1" });
    const response = await openStream(operation, { gateway, key: key.secret, fields: fieldsOf("held") });
    const charge = await leaveAt(response, words[operation.dialect], key);

    expect(charge?.kind).toBe("client_gone");
    const tokens = (charge?.input_tokens ?? 0) * 1_000 + (charge?.output_tokens ?? 0) * 4_000;
    expect(Math.round(-Number(charge?.amount) * 1e9)).toBe(tokens + 10_000_000);
  });

  test("beside other tools it is refused, and so is one without a price", async () => {
    const { secret: key } = await issueKey(gateway, { credit: "1" });
    const mine = { name: "mine", description: "", parameters: {}, input_schema: { type: "object" } };
    const tools =
      operation === CHAT
        ? [{ type: "function", function: mine }]
        : [...(asked.tools ?? []), { ...mine, ...(operation === RESPONSES && { type: "function" }) }];
    const beside = await ask(operation, { gateway, key, fields: fieldsOf("queries", { tools }) });
    const unsold = await ask(operation, { gateway, key, fields: fieldsOf("unsold") });

    expect(beside.status).toBe(400);
    expect(beside.text).toContain("search only where no other tool is offered");
    expect(unsold.status).toBe(400);
    expect(unsold.text).toContain("no published price for it");
  });
});

describe.skipIf(translates())("chat", () => {
  const search = { model: "searching-chat", max_tokens: 100, web_search_options: {} };

  test.each([false, true])(
    "a model that is asked to search has searched once, streamed: %s [MON-51]",
    async (stream) => {
      const key = await issueKey(gateway, { credit: "1" });
      const fields = { ...search, stream, stream_options: stream ? { include_usage: true } : undefined };
      const reply = await ask(CHAT, { gateway, key: key.secret, fields });

      expect(reply.status).toBe(200);
      expect((await gateway.witness()).at(-1)?.body).toMatchObject({ web_search_options: {} });
      expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "completed", amount: priceOf(100, 10, 1) }]);
    },
  );

  test("a caller that leaves has been searched for [CAN-18]", async () => {
    const key = await issueKey(gateway, { credit: "1" });
    const response = await openStream(CHAT, { gateway, key: key.secret, fields: { ...search, model: "paused-chat" } });
    const charge = await leaveAt(response, '"content":"amber', key);

    expect(charge?.kind).toBe("client_gone");
    const tokens = (charge?.input_tokens ?? 0) * 1_000 + (charge?.output_tokens ?? 0) * 4_000;
    expect(Math.round(-Number(charge?.amount) * 1e9)).toBe(tokens + 10_000_000);
  });

  test("no provider of another format is asked to", async () => {
    const { secret: key } = await issueKey(gateway, { credit: "1" });
    const reply = await ask(CHAT, { gateway, key, fields: { ...search, model: "elsewhere-chat" } });
    const refusal = { status: 400, code: "invalid_request", param: "web_search_options" } as const;

    expect(expectRefused(CHAT, reply, refusal)).toContain(
      "Only a provider of the request's own format runs this tool.",
    );
  });
});

const UNPRICED = "has no published price for it";

const REFUSED: [Operation, object, string, string][] = [
  [
    MESSAGE,
    { tools: [{ type: "code_execution_20250825", name: "code_execution" }] },
    "tools.0.type",
    "the provider bills code execution by the time of a container",
  ],
  [
    RESPONSES,
    { tools: [{ type: "code_interpreter" }] },
    "tools.0.type",
    "the provider bills code execution by the time of a container",
  ],
  [MESSAGE, { container: "container_1" }, "container", "billed by time, which no response reports"],
  [
    RESPONSES,
    { tools: [{ type: "file_search" }] },
    "tools.0.type",
    "tools that the provider runs have no published price here",
  ],
  [
    RESPONSES,
    { input: [{ type: "additional_tools", tools: [{ type: "web_search" }] }] },
    "input.0.tools.0.type",
    "isn't supported",
  ],
  [CHAT, { tools: [{ type: "web_search" }] }, "tools.0.type", "isn't supported"],
  [CHAT, { web_search_options: {} }, "web_search_options", UNPRICED],
];

test.each(REFUSED)(
  "what cannot be priced stays refused, in words that say why: %#",
  async (operation, fields, param, words) => {
    const model = `${words === UNPRICED ? "poor" : "searching"}-${operation.dialect}`;
    const { secret: key } = await issueKey(gateway, { credit: "1" });
    const reply = await ask(operation, { gateway, key, fields: { model, ...fields } });

    expect(expectRefused(operation, reply, { status: 400, code: "invalid_request", param })).toContain(words);
  },
);
