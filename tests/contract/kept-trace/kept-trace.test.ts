import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { until } from "../../support/until.ts";
import { ask, CHAT, modelFor } from "../operations.ts";
import { operate } from "../operator.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models: { plain: modelFor(CHAT, "sim+tokens=2") } });
});
afterAll(() => gateway.stop());

type Shown = { trace_id: string | null };

/** The record of a request that came with this header. */
async function recordOf(headers: readonly string[]): Promise<{ id: string; shown: Shown }> {
  const reply = await ask(CHAT, { gateway, headers });
  expect(reply.status).toBe(200);
  const id = reply.headers["x-request-id"] as string;
  let shown: Shown | null = null;
  await until(async () => {
    shown = await operate<Shown>(gateway, `GET /requests/${id}`).catch(() => null);
    return shown !== null;
  }, "the record is written");
  return { id, shown: shown as unknown as Shown };
}

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

test("the trace that a client names is in the record of its request, and where it is shown", async () => {
  const { id, shown } = await recordOf(["traceparent", `00-${TRACE}-00f067aa0ba902b7-00`]);
  const { stdout } = await gateway.tollgate("requests", "show", id);

  expect(shown.trace_id).toBe(TRACE);
  expect(stdout).toMatch(new RegExp(`^ *trace +${TRACE}$`, "m"));
});

test.each([
  ["no header", []],
  ["a header that is none", ["traceparent", `00-${TRACE}-00f067aa0ba902b7-00`.toUpperCase()]],
])("a request with %s has no trace", async (_, headers) => {
  const { id, shown } = await recordOf(headers);
  const { stdout } = await gateway.tollgate("requests", "show", id);

  expect(shown.trace_id).toBeNull();
  expect(stdout).toContain(id);
  expect(stdout).not.toMatch(/^ *trace /m);
});
