import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer, expectRefusal } from "../knock.ts";
import { issueKey } from "../operator.ts";
import { ask, EVERYDAY, JSON_TYPE } from "./ask.ts";

const TOO_LONG = { status: 400, code: "context_length_exceeded", type: "invalid_request_error" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models: { ...EVERYDAY, small: { upstream: "sim", maxOutputTokens: 8 } } });
});
afterAll(() => gateway.stop());

/** Every model here takes 128,000 tokens, and however kindly these are counted, they are more. */
const messages = [{ role: "user", content: "word ".repeat(400_000) }];

test("what cannot fit is refused before any provider is asked [LIM-5] [ERR-17] [RTY-5]", async () => {
  const calls = (await gateway.witness()).length;
  const { message } = expectRefusal(await ask(gateway, { messages }), TOO_LONG);

  expect(message).toMatch(/Input is about [\d,]+ tokens; everyday accepts at most 128,000/);
  expect(await gateway.witness()).toHaveLength(calls);
});

test("what another vocabulary may fit in is left to the provider [LIM-6]", async () => {
  const some = [{ role: "user", content: "word ".repeat(150_000) }];

  expect((await ask(gateway, { messages: some, max_tokens: 5 })).status).toBe(200);
});

test("the output limit is judged before the context window [ORD-8]", async () => {
  expectRefusal(await ask(gateway, { model: "small", max_tokens: 9, messages }), {
    status: 400,
    code: "invalid_request",
    type: "invalid_request_error",
    param: "max_tokens",
  });
});

test("the context window is judged before the money [ORD-9]", async () => {
  // With some credit, since a key without any may not send a body of this size.
  const { secret } = await issueKey(gateway, { credit: "0.000001" });

  expectRefusal(await ask(gateway, { messages }, [...bearer(secret), ...JSON_TYPE]), TOO_LONG);
});
