import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { CHAT, MESSAGE, ask, modelFor, RESPONSES } from "../operations.ts";
import { issueKey } from "../operator.ts";
import { expectRefused } from "../refused.ts";

const OPERATIONS = [CHAT, RESPONSES, MESSAGE];

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      OPERATIONS.map((operation) => [`slow-${operation.dialect}`, modelFor(operation, "sim+tokens=100000+rate=100")]),
    ),
    // A second of a route whose pace is not known costs more than this.
    settings: { TOLLGATE_LIMITS_STREAM_DEADLINE_MS: "2000", TOLLGATE_LEDGER_WRITE_OFF_CAP: "0.0001" },
  });
});
afterAll(() => gateway.stop());

test.each(OPERATIONS)(
  "who lets providers work past the deadline pays nothing, and is paused once that has cost enough; streams and others go on: $path [MON-48]",
  async (operation) => {
    const fields = { model: `slow-${operation.dialect}`, [operation.limitField]: 4_000 };
    const { secret: key } = await issueKey(gateway, { credit: "1" });
    const other = await issueKey(gateway, { credit: "1" });
    const timedOut =
      operation.format === "A"
        ? { status: 502, code: "upstream_error", retry: "unsaid" as const }
        : { status: 504, code: "upstream_timeout", retry: "unsaid" as const };
    const asked = async () => (await gateway.witness()).length;

    expectRefused(operation, await ask(operation, { gateway, key, fields }), timedOut);
    const before = await asked();
    const paused = await ask(operation, { gateway, key, fields });
    expectRefused(operation, paused, { status: 502, code: "provider_unavailable", retry: "unsaid" });
    expect(paused.text).toContain("stream them or request shorter ones");
    expect(Number(paused.headers["retry-after"])).toBeGreaterThan(3_000);
    expect(await asked()).toBe(before);

    expect((await ask(operation, { gateway, key, fields: { ...fields, stream: true } })).status).toBe(200);
    expectRefused(operation, await ask(operation, { gateway, key: other.secret, fields }), timedOut);
    expect(await asked()).toBe(before + 2);
  },
);
