import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, expect, test } from "vitest";
import { freePort } from "../../../tests/support/free-port.ts";
import { requireFreePorts } from "./require-free-ports.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function taken(host: string): Promise<number> {
  const server = createServer().listen({ host, port: 0 });
  servers.push(server);
  await once(server, "listening");
  return (server.address() as { port: number }).port;
}

const outer = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["127.0.0.1", "0.0.0.0"],
  ["127.0.0.1", "::"],
  ["0.0.0.0", "127.0.0.1"],
  ["localhost", "localhost"],
])("with a listener on %s, the port is taken on %s", async (host, wanted) => {
  const port = await taken(host);

  await expect(requireFreePorts([{ host: wanted, port }])).rejects.toMatchObject({ code: "EADDRINUSE", port });
});

test.skipIf(outer === undefined)("with a listener on an outer address, the port is taken on all", async () => {
  const port = await taken(outer ?? "");

  await expect(requireFreePorts([{ host: "0.0.0.0", port }])).rejects.toMatchObject({ code: "EADDRINUSE" });
  await expect(requireFreePorts([{ host: "127.0.0.1", port }])).resolves.toBeUndefined();
});

test("two listeners cannot have one port of one address, and can have it on two addresses", async () => {
  const port = await freePort();
  const at = (...hosts: string[]) => requireFreePorts(hosts.map((host) => ({ host, port })));

  await expect(at("127.0.0.1", "127.0.0.1")).rejects.toMatchObject({ code: "EADDRINUSE" });
  await expect(at("0.0.0.0", "127.0.0.1")).rejects.toMatchObject({ code: "EADDRINUSE" });
  await expect(at("127.0.0.1", "127.0.0.2")).resolves.toBeUndefined();
});

test("an address of another machine is refused and not asked", async () => {
  await expect(requireFreePorts([{ host: "192.0.2.1", port: await freePort() }])).rejects.toMatchObject({
    code: "EADDRNOTAVAIL",
  });
});

test("a port of 0 is always free", async () => {
  await expect(requireFreePorts([{ host: "127.0.0.1", port: 0 }])).resolves.toBeUndefined();
});
