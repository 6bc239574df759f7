import { once } from "node:events";
import { type IncomingMessage, request as openRequest } from "node:http";
import type { GatewayProcess } from "../support/gateway-process.ts";
import type { Operation } from "./operations.ts";

export { readAll } from "../support/sse-client.ts";

type Ask = { gateway: GatewayProcess; key?: string; fields?: object; headers?: Record<string, string> };

/** Asks for a stream and resolves with the open answer; the caller reads or closes it. */
export async function openStream(
  { path, body }: Operation,
  { gateway, key = gateway.keys.credit, fields = {}, headers = {} }: Ask,
): Promise<IncomingMessage> {
  const request = openRequest(`${gateway.publicUrl}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    agent: false,
  });
  // Of what fails after the head, the response tells.
  request.on("error", () => undefined);
  request.end(JSON.stringify({ model: "plain", ...body, stream: true, ...fields }));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}
