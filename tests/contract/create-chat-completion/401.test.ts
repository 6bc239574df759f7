import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { badKeys, unknownKey } from "../bad-keys.ts";
import { bearer, expectRefusal, knock } from "../knock.ts";
import { makeRevokedKey } from "../operator.ts";
import { ask, JSON_TYPE, MESSAGES, send } from "./ask.ts";

const UNAUTHORISED = { status: 401, code: "invalid_credentials", type: "authentication_error" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(async () => {
  expect(await gateway.witness()).toEqual([]);
  await gateway.stop();
});

test("a request without a key is refused [AUT-7] [ERR-8] [HDR-10]", async () => {
  const { message } = expectRefusal(await ask(gateway, {}, JSON_TYPE), UNAUTHORISED);

  expect(message).toContain("Authorization: Bearer");
});

test("unknown, malformed and revoked keys are refused in the same words [AUT-12] [AUT-13] [AUT-14] [AUT-16]", async () => {
  const revoked = await makeRevokedKey(gateway);
  const messages = new Set<string>();
  for (const [, key] of [...badKeys(gateway.keys.credit), ["unknown", unknownKey()], ["revoked", revoked]] as const) {
    messages.add(expectRefusal(await ask(gateway, {}, [...bearer(key), ...JSON_TYPE]), UNAUTHORISED).message);
  }

  expect(messages.size).toBe(1);
});

test("no refusal repeats the credential it was shown, in body or headers [AUT-20]", async () => {
  const revoked = await makeRevokedKey(gateway);
  const { credit, token_budget: tokens } = gateway.keys;
  const canary = "canary-7d1f0c9e5b2a4866";
  for (const [key, headers] of [
    ...badKeys(credit).map(([, bad]) => [bad, bearer(bad)] as const),
    [revoked, bearer(revoked)],
    [tokens, bearer(tokens)],
    [credit, ["x-api-key", credit]],
    [credit, [...bearer(credit), "x-api-key", credit]],
    [canary, ["authorization", `Basic ${canary}`]],
    [canary, ["authorization", `Bearer ${canary} ${canary}`]],
    [canary, ["x-api-key", canary]],
  ] as const) {
    const reply = await ask(gateway, {}, [...headers, ...JSON_TYPE]);
    const said = `${JSON.stringify(reply.headers)}${reply.text}`;

    expect(reply.status).toBe(401);
    // The public prefix says which key is meant; the rest of it says everything.
    for (const piece of key.length < 13 ? [] : [key, key.slice(12), key.slice(-16)]) expect(said).not.toContain(piece);
  }
});

test("x-api-key is not for this route, and the caller is told what is [AUT-3] [AUT-4]", async () => {
  const reply = await ask(gateway, {}, ["x-api-key", gateway.keys.credit, ...JSON_TYPE]);

  expect(expectRefusal(reply, UNAUTHORISED).message).toContain("Authorization: Bearer");
});

test("two credentials are refused even when they are the same key [AUT-5] [AUT-6]", async () => {
  const { credit } = gateway.keys;
  const reply = await ask(gateway, {}, [...bearer(credit), "x-api-key", credit, ...JSON_TYPE]);

  expect(expectRefusal(reply, UNAUTHORISED).message).toMatch(/Authorization.*x-api-key.*Remove x-api-key/);
});

test("a key of the other mode is told its base URL [ORI-4] [ORI-5] [ORI-6] [ORI-7]", async () => {
  const body = JSON.stringify({ model: "sim-fast", messages: MESSAGES });
  const tokens = await send(gateway, body, [...bearer(gateway.keys.token_budget), ...JSON_TYPE]);
  const credit = await knock(`${gateway.publicUrl}/token/v1/chat/completions`, {
    method: "POST",
    headers: [...bearer(gateway.keys.credit), ...JSON_TYPE],
    body,
  });

  expect(expectRefusal(tokens, UNAUTHORISED).message).toContain(`${gateway.publicUrl}/token `);
  expect(expectRefusal(credit, UNAUTHORISED).message).toContain(`${gateway.publicUrl} `);
});

test("the key is judged before the body [AUT-11] [ORD-1]", async () => {
  expectRefusal(await send(gateway, "not JSON", [...bearer(unknownKey()), "content-type", "text/plain"]), UNAUTHORISED);
});
