import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { until } from "../../support/until.ts";
import { openStream, readAll } from "../open-stream.ts";
import { CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { chargesOf, issueKey, type IssuedKey, operate } from "../operator.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      [CHAT, RESPONSES, MESSAGE].map((operation) => [
        operation.dialect,
        modelFor(operation, "sim+tokens=100000+rate=50"),
      ]),
    ),
  });
});
afterAll(() => gateway.stop());

/** How each key stops, and what whoever reads its stream is told. */
const STOPS: { stop: string; code: string; words: string; by: (key: IssuedKey) => Promise<unknown> }[] = [
  { stop: "revoked", code: "invalid_credentials", words: "was revoked", by: ({ id }) => post(id, "revoke") },
  { stop: "suspended", code: "invalid_credentials", words: "was suspended", by: ({ id }) => post(id, "suspend") },
  { stop: "disabled", code: "key_disabled", words: "was disabled", by: ({ id }) => post(id, "disable") },
];

const post = (id: string, change: string): Promise<unknown> => operate(gateway, `POST /keys/${id}/${change}`);

/** The error with which a stream of each format ends. */
function errorIn({ dialect }: Operation, text: string): unknown {
  const last = text.trimEnd().split("\n\n").at(-1) ?? "";
  const data = JSON.parse(last.slice(last.indexOf("data: ") + 6)) as Record<string, Record<string, unknown>>;
  return dialect === "responses" ? data["response"]?.["error"] : data["error"];
}

describe.each([CHAT, RESPONSES, MESSAGE])("a stream of $path", (operation) => {
  test.each(STOPS)(
    "is cut when its key is $stop, says so, and is charged as delivered [KEY-24]",
    async ({ by, code, words }) => {
      const key = await issueKey(gateway, { credit: "1" });
      const stream = await openStream(operation, { gateway, key: key.secret, fields: { model: operation.dialect } });
      const first = once(stream, "data");
      const reading = readAll(stream);
      await first;
      await by(key);
      const { text, broken } = await reading;
      await until(async () => (await chargesOf(gateway, key)).length === 1, "it is charged");
      const [charge] = await chargesOf(gateway, key);

      expect(broken).toBe(false);
      expect(text).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
      const message = `This API key ${words} while the request was in progress.`;
      expect(errorIn(operation, text)).toMatchObject({ code, message: expect.stringContaining(message) as string });
      expect(charge).toMatchObject({ kind: "client_gone" });
      expect(Number(charge?.output_tokens)).toBeGreaterThan(0);
      expect(Number(charge?.output_tokens)).toBeLessThan(10_000);
    },
  );
});

test("a stream that runs when its key expires ends by itself, and the next request is refused [KEY-24]", async () => {
  const key = await issueKey(gateway, { credit: "1" });
  const fields = { model: "chat", max_tokens: 100 };
  const stream = await openStream(CHAT, { gateway, key: key.secret, fields });
  const first = once(stream, "data");
  const reading = readAll(stream);
  await first;
  await operate(gateway, `PATCH /keys/${key.id}`, { expires_at: new Date(Date.now() - 1_000).toISOString() });
  const { text } = await reading;

  expect(text).toContain("[DONE]");
  const refused = await openStream(CHAT, { gateway, key: key.secret, fields });
  refused.resume();
  expect(refused.statusCode).toBe(403);
});
