import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { ask, CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { issueKey } from "../operator.ts";
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
