import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer, expectRefusal } from "../knock.ts";
import { makeKey } from "../operator.ts";
import { ask, JSON_TYPE, send } from "./ask.ts";

const EXPIRED = { status: 403, code: "key_expired", type: "permission_error" };
const DISABLED = { status: 403, code: "key_disabled", type: "permission_error", param: "model" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      east: { upstream: "sim", provider: "east", maxOutputTokens: 8 },
      west: { upstream: "sim", provider: "west" },
    },
  });
});
afterAll(async () => {
  expect(await gateway.witness()).toEqual([]);
  await gateway.stop();
});

const sentBy = (secret: string): string[] => [...bearer(secret), ...JSON_TYPE];

test("an expired key is refused, and told since when [KEY-8] [ERR-9] [HDR-10]", async () => {
  const { secret } = await makeKey(gateway, { expires_at: "2020-01-01T00:00:00Z" });

  expect(expectRefusal(await ask(gateway, {}, sentBy(secret)), EXPIRED).message).toContain("2020-01-01");
});

test("an expired key is refused before its body is judged [ORD-1]", async () => {
  const { secret } = await makeKey(gateway, { expires_at: "2020-01-01T00:00:00Z" });

  expectRefusal(await send(gateway, "not JSON", sentBy(secret)), EXPIRED);
});

test("a key scoped to one provider cannot use another's models, and is told its scope [KEY-13] [KEY-15] [ERR-10]", async () => {
  const { secret } = await makeKey(gateway, { provider_scope: "east" });
  const { message } = expectRefusal(await ask(gateway, { model: "west" }, sentBy(secret)), DISABLED);

  expect(message).toMatch(/limited to provider "east"/);
});

test("a key cannot use a model it is not entitled to [KEY-14]", async () => {
  const { secret } = await makeKey(gateway, { models: ["west"] });
  const { message } = expectRefusal(await ask(gateway, { model: "east" }, sentBy(secret)), DISABLED);

  expect(message).toMatch(/can't use model "east"/);
});

test("scope is judged before the output limit [ORD-7]", async () => {
  const { secret } = await makeKey(gateway, { provider_scope: "west" });

  expectRefusal(await ask(gateway, { model: "east", max_tokens: 9 }, sentBy(secret)), DISABLED);
});

test("an unknown model is 404 whatever the scope of the key [ORD-6]", async () => {
  const { secret } = await makeKey(gateway, { provider_scope: "west" });
  const reply = await ask(gateway, { model: "nowhere" }, sentBy(secret));

  expectRefusal(reply, { status: 404, code: "model_not_found", type: "invalid_request_error", param: "model" });
});
