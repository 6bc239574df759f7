import { once } from "node:events";
import { type IncomingMessage, request as openRequest } from "node:http";
import { expect, test } from "vitest";
import { startGatewayProcess } from "../../support/gateway-process.ts";
import { readAll } from "../../support/sse-client.ts";
import { until } from "../../support/until.ts";
import { MESSAGES } from "./ask.ts";

/** More than the kernel holds for a connection, so that its tail waits in the gateway for a caller that does not read. */
const LARGE_BYTES = 24 * 1_048_576;

test("an answer that waits for a slow caller still arrives whole when the gateway is asked to end", async () => {
  const gateway = await startGatewayProcess({ models: { large: { upstream: `sim+answer=${LARGE_BYTES}` } } });
  const request = openRequest(`${gateway.publicUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json" },
    agent: false,
  });
  request.end(JSON.stringify({ model: "large", messages: MESSAGES }));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const promised = Number(response.headers["content-length"]);
  await until(async () => (await gateway.witness())[0]?.ended === "completed", "the provider is done");
  const stopped = gateway.stop();
  await until(
    async () => (await fetch(`${gateway.publicUrl}/readyz`).catch(() => null))?.status !== 200,
    "it is ending",
  );

  const { text, broken } = await readAll(response);
  expect({ bytes: Buffer.byteLength(text), broken }).toEqual({ bytes: promised, broken: false });
  expect(promised).toBeGreaterThan(LARGE_BYTES - 1_024);
  expect(await stopped).toBe(0);
});
