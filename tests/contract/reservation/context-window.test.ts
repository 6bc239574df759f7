import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { onlyStraight, providerDialect } from "../../support/provider-dialect.ts";
import { ask, CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { issueKey, operate } from "../operator.ts";
import { expectRefused } from "../refused.ts";

const TOO_LONG = { status: 400, code: "context_length_exceeded" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      [CHAT, RESPONSES, MESSAGE].map((operation) => [
        operation.dialect,
        modelFor(operation, "sim+tokens=5", { contextWindow: 4_000 }),
      ]),
    ),
  });
});
afterAll(() => gateway.stop());

const saying = ({ dialect }: Operation, text: string): object => ({
  model: dialect,
  max_tokens: undefined,
  ...(dialect === "responses" ? { input: text } : { messages: [{ role: "user", content: text }] }),
});

describe.each([CHAT, RESPONSES, MESSAGE])("$dialect", (operation) => {
  test.each([false, true])(
    "9,000 words do not fit into 4,000 tokens, stream %s: refused before money is reserved or a provider is asked [LIM-5] [ERR-17]",
    async (stream) => {
      const calls = (await gateway.witness()).length;
      // A key without money hears of the window first.
      const { secret: key } = await issueKey(gateway);
      const fields = { ...saying(operation, "word ".repeat(9_000)), stream };
      const message = expectRefused(operation, await ask(operation, { gateway, key, fields }), TOO_LONG);

      expect(message).toMatch(/Input is about 9,0\d\d tokens; \w+ accepts at most 4,000/);
      expect(await gateway.witness()).toHaveLength(calls);
    },
    // The first count starts a thread and loads its vocabulary.
    60_000,
  );

  test("a long run of one character is few tokens, and is left to the provider [LIM-6]", async () => {
    const reply = await ask(operation, { gateway, fields: saying(operation, "=".repeat(40_000)) });

    expect(reply.status).toBe(200);
  });
});

test("the parts of an input count together [LIM-5]", async () => {
  const messages = ["system", "user"].map((role) => ({ role, content: "word ".repeat(4_500) }));

  expectRefused(CHAT, await ask(CHAT, { gateway, fields: { model: "chat", messages } }), TOO_LONG);
});

describe("a provider with `context_window: strict`", () => {
  const LIMITS = { context_window: 4_000, max_output_tokens: 100, price: { input: "1", output: "1" } };
  /** A model of its own provider, strict or not, that the client's format reaches straight or by translation. */
  async function offer(id: string, provider: string, format: string): Promise<void> {
    const route = { provider, upstream_model: "sim+tokens=5", format };
    const offered = await fetch(`${gateway.adminUrl}/admin/v1/models/${id}`, {
      headers: { authorization: `Bearer ${gateway.adminToken}` },
    });
    await operate(gateway, "POST /models", offered.ok ? { id, route } : { id, ...LIMITS, route });
  }
  beforeAll(async () => {
    const base = { base_url: `${gateway.simulatorUrl}/v1`, credential: "env:SIMULATED_PROVIDER_KEY" };
    await operate(gateway, "POST /providers", { name: "cutting", ...base, context_window: "strict" });
    await operate(gateway, "POST /providers", { name: "refusing", ...base });
    for (const { dialect } of [CHAT, RESPONSES, MESSAGE]) {
      await offer(`strict-${dialect}`, "cutting", providerDialect(dialect));
      await offer(`either-${dialect}`, "cutting", dialect);
      await offer(`either-${dialect}`, "refusing", dialect === "messages" ? "chat" : "messages");
    }
  });
  const asking = (operation: Operation, kind: string, words: number) =>
    ask(operation, {
      gateway,
      fields: { ...saying(operation, "word ".repeat(words)), model: `${kind}-${operation.dialect}` },
    });

  test.each([CHAT, RESPONSES, MESSAGE])(
    "is not sent 3,000 words that may not fit into 4,000 tokens; 500 are sent: $dialect [LIM-12] [ERR-17]",
    async (operation) => {
      const calls = (await gateway.witness()).length;

      const message = expectRefused(operation, await asking(operation, "strict", 3_000), TOO_LONG);
      expect(message).toMatch(/^Input may be up to [45],\d{3} tokens; strict-\w+ accepts at most 4,000\. Shorten/);
      expect(await gateway.witness()).toHaveLength(calls);

      expect((await asking(operation, "strict", 500)).status).toBe(200);
      expect((await asking(operation, "strict", 1_500)).status).toBe(200);
      expect(await gateway.witness()).toHaveLength(calls + 2);
    },
    60_000,
  );

  test.for([CHAT, RESPONSES, MESSAGE])(
    "is left out where the model has another route, which is asked: $dialect [LIM-13]",
    async (operation, context) => {
      onlyStraight(context, "one of the two routes speaks the client's format, which shows the one that was asked");
      const near = await asking(operation, "either", 3_000);
      const short = await asking(operation, "either", 500);

      expect([near.status, short.status]).toEqual([200, 200]);
      expect(near.headers["x-tollgate-fidelity"]).toMatch(/^translated/);
      expect(short.headers["x-tollgate-fidelity"]).toBe("exact");
    },
  );
});
