import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { until } from "../../support/until.ts";
import { openStream, readAll } from "../open-stream.ts";
import { chargesOf, issueKey } from "../operator.ts";
import { CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";

/** How each format tells of a failure after content has begun, and what it must not say then. */
const FORMATS: { operation: Operation; failure: RegExp; whole: string; alive: string }[] = [
  { operation: CHAT, failure: /^data: \{"error":/, whole: "[DONE]", alive: ": keep-alive" },
  {
    operation: RESPONSES,
    failure: /^event: response\.failed\ndata: \{"type":"response\.failed"/,
    whole: "response.completed",
    alive: ": keep-alive",
  },
  {
    operation: MESSAGE,
    failure: /^event: error\ndata: \{"type":"error"/,
    whole: "message_stop",
    alive: 'event: ping\ndata: {"type":"ping"}',
  },
];

let gateway: GatewayProcess;
beforeAll(async () => {
  const breaks = { reset: "reset", close: "close", error: "error" };
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      FORMATS.flatMap(({ operation }) => [
        ...Object.entries(breaks).map(
          ([name, kind]) =>
            [`${operation.dialect}-${name}`, modelFor(operation, `sim+tokens=9+fail=${kind}@4`)] as const,
        ),
        [`${operation.dialect}-silent`, modelFor(operation, "sim+tokens=4+pause=2")] as const,
      ]),
    ),
    settings: { TOLLGATE_LIMITS_KEEP_ALIVE_MS: "200" },
  });
});
afterAll(() => gateway.stop());

describe.each(FORMATS)("of $operation.dialect", ({ operation, failure, whole, alive }) => {
  test.each(["reset", "close", "error"])(
    "a stream that its provider breaks off (%s) ends with a failure, and costs nothing [STR-20] [STR-21] [STR-22] [STR-23] [MON-32]",
    async (kind) => {
      const key = await issueKey(gateway, { credit: "1" });
      const fields = { model: `${operation.dialect}-${kind}` };
      const response = await openStream(operation, { gateway, key: key.secret, fields });
      const { text, broken } = await readAll(response);
      const events = text.split("\n\n").filter((event) => event !== "");

      expect({ status: response.statusCode, broken }).toEqual({ status: 200, broken: false });
      expect(events.length).toBeGreaterThan(3);
      expect(events.at(-1)).toMatch(failure);
      expect(text).not.toContain(whole);
      expect(await chargesOf(gateway, key)).toMatchObject([{ kind: "upstream_failed", amount: "0" }]);
    },
  );

  test("an idle stream is kept alive, between events and in its own format [STR-33] [STR-34] [STR-35]", async () => {
    const response = await openStream(operation, { gateway, fields: { model: `${operation.dialect}-silent` } });
    let text = "";
    response.on("data", (chunk: Buffer) => (text += chunk.toString()));
    await until(() => text.split(alive).length > 2, "two signs of life");
    const ended = once(response, "end");
    await gateway.release();
    await ended;

    const events = text.split("\n\n").filter((event) => event !== "" && event !== alive);
    expect(events.join("")).not.toContain(alive);
    for (const event of events) expect(event).toMatch(/^(event: \S+\n)?data: /);
    expect(text).toContain(whole);
  });
});
