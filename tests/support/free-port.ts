import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * For programs that must be told a port before they start. Below the ports that the system gives to whoever asks for any: none of
 * those can become one of these between the look and the start.
 */
export const OWN_PORTS = { first: 20_000, count: 12_000 };

/**
 * A port of the loopback interface that nobody listens on and that no other process of this machine gets from here, until this one
 * ends. A datagram port stands for it: one process at a time can have it, and the system takes it back however the process ends. It is not
 * that of the same number, which a program may want for HTTP/3.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = OWN_PORTS.first + Math.floor(Math.random() * OWN_PORTS.count);
    if ((await reserves(port)) && (await isFree(port))) return port;
  }
}

/** The first of so many such ports in a row, as `serve --workers` takes them for its admin listeners. */
export async function freePortsInRow(count: number): Promise<number> {
  for (;;) {
    const first = await freePort();
    const last = Math.min(first + count, OWN_PORTS.first + OWN_PORTS.count) - 1;
    let port = first;
    while (port < last && (await reserves(port + 1)) && (await isFree(port + 1))) port += 1;
    if (port === first + count - 1) return first;
  }
}

async function reserves(port: number): Promise<boolean> {
  const reservation = createSocket("udp4");
  try {
    const bound = once(reservation, "listening");
    reservation.bind({ port: port - OWN_PORTS.count, address: "127.0.0.1", exclusive: true });
    await bound;
    reservation.unref();
    return true;
  } catch {
    return false;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    const listening = once(server, "listening");
    server.listen({ port, host: "127.0.0.1", exclusive: true });
    await listening;
  } catch {
    return false;
  }
  await new Promise((resolve) => void server.close(resolve));
  return true;
}
