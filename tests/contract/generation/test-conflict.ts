import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { until } from "../../support/until.ts";
import { openStream, readAll } from "../open-stream.ts";
import { ask, CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { expectRefused, expectWait } from "../refused.ts";

const IN_PROGRESS = { status: 409, code: "idempotency_in_progress", retry: "advised" } as const;

/** A retry that cannot be answered with what the first try got. */
export function testConflict(operation: Operation): void {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      models: {
        plain: modelFor(operation, "sim"),
        waiting: modelFor(operation, "sim+tokens=4+pause=2"),
        breaking: modelFor(operation, "sim+tokens=9+fail=reset@4"),
        huge: modelFor(operation, "sim+answer=1500000"),
      },
    });
  });
  afterAll(() => gateway.stop());

  const under = (name: string): string[] => ["idempotency-key", name];

  test("a duplicate of a request in flight waits its turn, the longer the longer that runs [IDM-15] [HDR-19] [ERR-23] [ERR-33] [HDR-11]", async () => {
    const fields = { model: "waiting", stream: true };
    const first = await openStream(operation, { gateway, fields, headers: { "idempotency-key": "in-flight" } });
    await once(first, "readable");
    const reply = await ask(operation, { gateway, fields, headers: under("in-flight") });

    expectRefused(operation, reply, IN_PROGRESS);
    const seconds = expectWait(reply, { least: 1, most: 15 });
    expect(reply.text).toContain(`Please try again in ${seconds}s.`);
    const waits = [seconds];
    await until(async () => {
      const again = await ask(operation, { gateway, fields, headers: under("in-flight") });
      expectRefused(operation, again, IN_PROGRESS);
      waits.push(expectWait(again, { least: waits.at(-1) ?? 1, most: 15 }));
      return waits.at(-1) !== seconds;
    }, "the wait grows with the age of the request");
    await gateway.release();
    await readAll(first);
  });

  test("the same header on another body is refused, not answered with the first one's answer [IDM-16] [IDM-9] [HDR-11]", async () => {
    const first = await ask(operation, { gateway, headers: under("reused") });
    const reply = await ask(operation, { gateway, fields: { stream: true }, headers: under("reused") });

    expect(first.status).toBe(200);
    expectRefused(operation, reply, { status: 409, code: "idempotency_key_reuse" });
  });

  test("the same header on another operation is refused, were its body the same to the byte [IDM-7] [IDM-16]", async () => {
    const first = await ask(operation, { gateway, headers: under("moved") });
    const callsBefore = (await gateway.witness()).length;

    expect(first.status).toBe(200);
    for (const other of [CHAT, RESPONSES, MESSAGE].filter(({ path }) => path !== operation.path)) {
      const reply = await ask(other, { gateway, headers: under("moved") });
      expectRefused(other, reply, { status: 409, code: "idempotency_key_reuse" });
    }
    expect(await gateway.witness()).toHaveLength(callsBefore);
    const again = await ask(operation, { gateway, headers: under("moved") });
    expect(again.headers["idempotent-replayed"]).toBe("true");
  });

  test("an answer too large to keep is not generated a second time [IDM-17]", async () => {
    const fields = { model: "huge" };
    const first = await ask(operation, { gateway, fields, headers: under("huge") });
    const callsBefore = (await gateway.witness()).length;
    const reply = await ask(operation, { gateway, fields, headers: under("huge") });

    expect(first.status).toBe(200);
    expectRefused(operation, reply, { status: 409, code: "idempotency_replay_unavailable" });
    expect(await gateway.witness()).toHaveLength(callsBefore);
  });

  test("a stream that broke after content is not begun again [IDM-18] [RTY-2]", async () => {
    const fields = { model: "breaking", stream: true };
    const first = await ask(operation, { gateway, fields, headers: under("broken") });
    const reply = await ask(operation, { gateway, fields, headers: under("broken") });

    expect(first.status).toBe(200);
    expectRefused(operation, reply, { status: 409, code: "idempotency_stream_interrupted" });
  });

  test("a finished answer is given again, byte for byte, and asked of nobody [IDM-11] [IDM-12] [IDM-14] [RTY-1]", async () => {
    for (const stream of [false, true]) {
      const name = under(`again-${String(stream)}`);
      const first = await ask(operation, { gateway, fields: { stream }, headers: name });
      const callsBefore = (await gateway.witness()).length;
      const again = await ask(operation, { gateway, fields: { stream }, headers: name });

      expect(again).toMatchObject({ status: 200, text: first.text, headers: { "idempotent-replayed": "true" } });
      expect(again.headers["content-type"]).toBe(first.headers["content-type"]);
      expect(await gateway.witness()).toHaveLength(callsBefore);
    }
  });

  test.each([
    ["empty", under("")],
    ["of 256 characters", under("x".repeat(256))],
    ["with a control character", under("a\tb")],
    ["sent twice", [...under("a"), ...under("b")]],
  ])("a header that is %s is refused with 400 [IDM-3] [IDM-4] [IDM-5] [IDM-6]", async (_name, headers) => {
    const reply = await ask(operation, { gateway, headers });

    expect({ status: reply.status, body: JSON.parse(reply.text) as unknown }).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request" } },
    });
  });
}
