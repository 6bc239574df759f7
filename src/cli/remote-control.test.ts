import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { remoteControl } from "./remote-control.ts";

let server: Server | null = null;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

async function gateway(status: number, body: string) {
  const asked: string[] = [];
  server = createServer((request, response) => {
    asked.push(`${request.method ?? ""} ${request.url ?? ""} ${request.headers.authorization ?? ""}`);
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { control: remoteControl({ adminUrl: `http://127.0.0.1:${port}`, adminToken: "t" }), asked };
}

const topUp = { amount: "1", kind: "grant", reference: "a" } as const;

test("a key's name cannot lead to another path", async () => {
  const { control, asked } = await gateway(200, "{}");

  await control.funds.topUp("../x?y=1#z", topUp);

  expect(asked).toEqual(["POST /admin/v1/keys/..%2Fx%3Fy%3D1%23z/topups Bearer t"]);
});

test("a refusal is passed on in its own words", async () => {
  const { control } = await gateway(409, JSON.stringify({ error: { message: "it is revoked." } }));

  await expect(control.keys.changeStatus("k", "resume")).rejects.toMatchObject({
    name: "GatewayRefusalError",
    message: "it is revoked.",
  });
});

test.each([
  [500, JSON.stringify({ error: { message: "Something went wrong." } })],
  [502, "<html>"],
])("an answer of %i leaves open whether it was done", async (status, body) => {
  const { control } = await gateway(status, body);

  await expect(control.funds.topUp("k", topUp)).rejects.toMatchObject({ name: "GatewayUnreachableError" });
});

test("a gateway that is gone is named", async () => {
  const control = remoteControl({ adminUrl: "http://127.0.0.1:1", adminToken: "t" });

  await expect(control.keys.list({ limit: 1 })).rejects.toThrow("the gateway at http://127.0.0.1:1 does not answer");
});
