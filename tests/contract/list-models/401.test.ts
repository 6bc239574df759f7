import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { badKeys, unknownKey } from "../bad-keys.ts";
import { bearer, expectRefusal, knock, type Reply } from "../knock.ts";
import { makeKey, makeRevokedKey } from "../operator.ts";

const UNAUTHORISED = { status: 401, code: "invalid_credentials", type: "authentication_error" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());

const list = (headers: string[], prefix = ""): Promise<Reply> =>
  knock(`${gateway.publicUrl}${prefix}/v1/models`, { headers });

test("a key that was never issued is refused and not answered with the public catalogue [AUT-9] [AUT-13] [MOD-19]", async () => {
  for (const [name, key] of badKeys(gateway.keys.credit)) {
    for (const headers of [bearer(key), ["x-api-key", key]]) {
      const reply = await list(headers);

      expect({ name, status: reply.status }).toEqual({ name, status: 401 });
      expectRefusal(reply, UNAUTHORISED);
    }
  }
});

test.each([
  ["an empty Authorization header", ["authorization", ""]],
  ["another scheme", ["authorization", "Basic dXNlcjpwYXNz"]],
  ["a bearer without a key", ["authorization", "Bearer"]],
  ["two words after the scheme", ["authorization", "Bearer one two"]],
  ["an empty x-api-key", ["x-api-key", ""]],
])("%s is refused and does not fall back to the public catalogue [AUT-9] [AUT-10]", async (_name, headers) => {
  expectRefusal(await list(headers), UNAUTHORISED);
});

test("two credentials are refused even when they are the same key [AUT-5] [AUT-6]", async () => {
  const { credit } = gateway.keys;
  const { message } = expectRefusal(await list([...bearer(credit), "x-api-key", credit]), UNAUTHORISED);

  expect(message).toMatch(/Authorization.*x-api-key.*Remove x-api-key/);
});

test.each([
  ["Authorization", "authorization", "Bearer "],
  ["x-api-key", "x-api-key", ""],
])("%s sent twice is refused", async (_name, header, scheme) => {
  const { credit } = gateway.keys;

  expectRefusal(await list([header, scheme + credit, header, scheme + credit]), UNAUTHORISED);
});

test("a key of the other mode is told its base URL [ORI-4] [ORI-5] [ORI-6] [ORI-7]", async () => {
  const credit = expectRefusal(await list(bearer(gateway.keys.credit), "/token"), UNAUTHORISED);
  const tokens = expectRefusal(await list(bearer(gateway.keys.token_budget)), UNAUTHORISED);

  expect(credit.message).toContain(`${gateway.publicUrl} `);
  expect(tokens.message).toContain(`${gateway.publicUrl}/token `);
});

test("unusable keys of every kind are refused in the words for unknown ones [AUT-12] [AUT-14] [AUT-16] [KEY-10]", async () => {
  const revoked = await makeRevokedKey(gateway);
  const expired = await makeKey(gateway, { expires_at: "2020-01-01T00:00:00Z" });
  const refusals = await Promise.all(
    [`${gateway.keys.credit}0`, unknownKey(), revoked, expired.secret].map((key) => list(bearer(key))),
  );

  const messages = refusals.map((reply) => expectRefusal(reply, UNAUTHORISED).message);
  expect(new Set(messages).size).toBe(1);
});
