import { execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { freePort, freePortsInRow, OWN_PORTS } from "./free-port.ts";

afterEach(() => void vi.restoreAllMocks());

/** Makes the next choices of a port these, and later ones others. */
function choosing(...ports: number[]): void {
  const random = vi.spyOn(Math, "random");
  for (const port of ports) random.mockReturnValueOnce((port + 0.5 - OWN_PORTS.first) / OWN_PORTS.count);
}

test("a port is given once, though nobody listens on it", async () => {
  const first = await freePort();
  choosing(first, first);

  expect(await freePort()).not.toBe(first);
});

test("a port that another process was given is not given here, until that process has ended", async () => {
  const program = `
    import { freePort } from ${JSON.stringify(join(import.meta.dirname, "free-port.ts"))};
    const taken = Number(process.env.TAKEN);
    Math.random = () => (Math.random = () => 0.999, (taken + 0.5 - ${OWN_PORTS.first}) / ${OWN_PORTS.count});
    process.stdout.write(String(await freePort()));
  `;
  const there = (taken: number): number => {
    const words = ["--input-type=module", "--eval", program];
    return Number(execFileSync(process.execPath, words, { env: { TAKEN: `${taken}` }, encoding: "utf8" }));
  };
  const taken = await freePort();

  const given = there(taken);
  choosing(given);

  expect(given).not.toBe(taken);
  expect(await freePort()).toBe(given);
});

test("the datagram port of the same number is free as well", async () => {
  const port = await freePort();
  const socket = createSocket("udp4");
  const bound = once(socket, "listening");
  socket.bind({ port, address: "127.0.0.1", exclusive: true });

  await expect(bound).resolves.toBeDefined();
  socket.close();
});

test("a port that somebody listens on is not given", async () => {
  const server = createServer().listen(await freePort(), "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  choosing(port);

  expect(await freePort()).not.toBe(port);
  server.close();
});

test("ports in a row are none that were given before", async () => {
  const taken = await freePort();
  choosing(taken - 2, taken - 1);

  const first = await freePortsInRow(3);

  expect([first, first + 1, first + 2]).not.toContain(taken);
  choosing(first + 2);
  expect(await freePort()).not.toBe(first + 2);
});

const RANGE = "/proc/sys/net/ipv4/ip_local_port_range";

test.skipIf(!existsSync(RANGE))("no such port is one that the system gives to whoever asks for any", () => {
  const [first = 0, last = 0] = readFileSync(RANGE, "utf8").trim().split(/\s+/).map(Number);
  const lastOwn = OWN_PORTS.first + OWN_PORTS.count - 1;

  expect(OWN_PORTS.first > last || lastOwn < first).toBe(true);
});
