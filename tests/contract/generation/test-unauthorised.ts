import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { badKeys, unknownKey } from "../bad-keys.ts";
import { bearer } from "../knock.ts";
import { makeRevokedKey } from "../operator.ts";
import { ask, JSON_TYPE, type AnyOperation, send } from "../operations.ts";
import { expectRefused } from "../refused.ts";

const UNAUTHORISED = { status: 401, code: "invalid_credentials" };

/** Whoever is not known is not let in, before a byte of the body is read. */
export function testUnauthorised(operation: AnyOperation): void {
  const body = JSON.stringify({ model: "plain", ...operation.body });
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess();
  });
  afterAll(async () => {
    expect(await gateway.witness()).toEqual([]);
    await gateway.stop();
  });

  test("a request without a key is refused [AUT-7] [ERR-8] [ERR-29] [HDR-10]", async () => {
    const message = expectRefused(
      operation,
      await send(operation, { gateway, body, headers: JSON_TYPE }),
      UNAUTHORISED,
    );

    expect(message).toContain("Authorization: Bearer");
  });

  test("unknown, malformed and revoked keys are refused in the same words [AUT-12] [AUT-13] [AUT-14] [AUT-16]", async () => {
    const revoked = await makeRevokedKey(gateway);
    const messages = new Set<string>();
    for (const key of [...badKeys(gateway.keys.credit).map(([, bad]) => bad), unknownKey(), revoked]) {
      const reply = await ask(operation, { gateway, key });
      messages.add(expectRefused(operation, reply, UNAUTHORISED));
      expect(`${JSON.stringify(reply.headers)}${reply.text}`).not.toContain(key.slice(12) || "\0");
    }

    expect(messages.size).toBe(1);
  });

  test("two credentials are refused even when they are the same key [AUT-5] [AUT-6]", async () => {
    const { credit } = gateway.keys;
    const reply = await ask(operation, { gateway, headers: ["x-api-key", credit] });

    expect(expectRefused(operation, reply, UNAUTHORISED)).toMatch(
      /Authorization.*x-api-key.*Remove x-api-key.*accept_equal/,
    );
  });

  test("a credential header that is sent twice is refused, though it says the same [AUT-25]", async () => {
    const headers = bearer(gateway.keys.credit);
    const reply = await ask(operation, { gateway, headers });

    expect(expectRefused(operation, reply, UNAUTHORISED)).toMatch(/more than once/);
  });

  test("a key of the other mode is told its base URL [ORI-4] [ORI-5] [ORI-6] [ORI-7]", async () => {
    const { credit, token_budget: tokens } = gateway.keys;

    expect(expectRefused(operation, await ask(operation, { gateway, key: tokens }), UNAUTHORISED)).toContain("/token");
    expectRefused(operation, await ask(operation, { gateway, key: credit, origin: "/token" }), UNAUTHORISED);
  });

  test("the key is judged before the body [AUT-11] [ORD-1]", async () => {
    const headers = [...bearer(unknownKey()), "content-type", "text/plain"];

    expectRefused(operation, await send(operation, { gateway, body: "not JSON", headers }), UNAUTHORISED);
  });
}
