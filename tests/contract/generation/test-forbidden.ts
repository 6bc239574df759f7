import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer } from "../knock.ts";
import { makeKey } from "../operator.ts";
import { ask, JSON_TYPE, modelFor, type AnyOperation, send } from "../operations.ts";
import { expectRefused } from "../refused.ts";

const EXPIRED = { status: 403, code: "key_expired" };
const DISABLED = { status: 403, code: "key_disabled" };

/** Whoever is known may still not be allowed this. */
export function testForbidden(operation: AnyOperation): void {
  const param = operation.format === "A" ? "model" : null;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      models: {
        plain: modelFor(operation, "sim", { provider: "east" }),
        west: modelFor(operation, "sim", { provider: "west" }),
      },
    });
  });
  afterAll(async () => {
    expect(await gateway.witness()).toEqual([]);
    await gateway.stop();
  });

  test("an expired key is refused before its body is judged, and told since when [KEY-8] [ERR-9] [ERR-31] [HDR-10]", async () => {
    const { secret } = await makeKey(gateway, { expires_at: "2020-01-01T00:00:00Z" });
    const headers = [...bearer(secret), ...JSON_TYPE];

    expect(expectRefused(operation, await send(operation, { gateway, body: "not JSON", headers }), EXPIRED)).toContain(
      "2020-01-01",
    );
  });

  test("a key scoped to one provider cannot use another's models, and is told its scope [KEY-13] [KEY-15] [ERR-10]", async () => {
    const { secret: key } = await makeKey(gateway, { credit: "1", provider_scope: "west" });
    const message = expectRefused(operation, await ask(operation, { gateway, key }), { ...DISABLED, param });

    expect(message).toMatch(/limited to provider "west"/);
  });

  test("a key cannot use a model it is not entitled to [KEY-14]", async () => {
    const { secret: key } = await makeKey(gateway, { credit: "1", models: ["west"] });
    const message = expectRefused(operation, await ask(operation, { gateway, key }), { ...DISABLED, param });

    expect(message).toMatch(/can't use model "plain"/);
  });
}
