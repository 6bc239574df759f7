import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";

type Place = { host: string; port: number };

/** A local address answers or refuses at once. */
const PATIENCE_MS = 1_000;
/** Ports below this need a privilege. */
const FREE_FOR_ALL = 1_024;
const ANY = new Set(["0.0.0.0", "::"]);

/**
 * Throws for the first address that is taken or cannot be had, before anything else was touched. It does not listen to find out: whoever
 * connected in that moment would be cut off when it stops, where one that finds nobody is refused and tries again. What it cannot tell is
 * left to the listener itself.
 */
export async function requireFreePorts(places: readonly Place[]): Promise<void> {
  const looked: Place[] = [];
  for (const { host, port } of places) {
    if (port === 0) continue;
    const { address, family } = await lookup(host);
    await requireAllowed(address, port, family);
    const clashes = looked.some((other) => other.port === port && overlap(other.host, address));
    if (clashes || (await answers(address, port))) throw takenError({ host, port });
    looked.push({ host: address, port });
  }
}

const overlap = (one: string, other: string): boolean => one === other || ANY.has(one) || ANY.has(other);

/** Asked with a datagram socket: the same addresses and ports may be had, and nobody connects to it. */
async function requireAllowed(address: string, port: number, family: number): Promise<void> {
  const socket = createSocket(family === 6 ? "udp6" : "udp4");
  try {
    socket.bind({ address, port, exclusive: true });
    await once(socket, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRNOTAVAIL" || (code === "EACCES" && port < FREE_FOR_ALL)) throw error;
  } finally {
    socket.close();
  }
}

/** Whether somebody listens at the address, or at any of this machine's where it stands for all. Others' addresses are not asked. */
async function answers(address: string, port: number): Promise<boolean> {
  const asked = ownAddresses().filter((own) => own === address || stands(address, own));
  return (await Promise.all(asked.map((own) => connects(own, port)))).includes(true);
}

const LOOPBACK = ["127.0.0.1", "::1"];

/** A unit without netlink sockets cannot list them, and then asks only itself. */
function ownAddresses(): string[] {
  try {
    const listed = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
    return [...new Set([...LOOPBACK, ...listed.map(({ address }) => address)])];
  } catch {
    return LOOPBACK;
  }
}

const stands = (address: string, own: string): boolean => address === "::" || (address === "0.0.0.0" && isIPv4(own));

async function connects(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: PATIENCE_MS });
  try {
    return await Promise.race([once(socket, "connect").then(() => true), once(socket, "timeout").then(() => false)]);
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** As the listener itself would say it. */
const takenError = ({ host, port }: Place): Error =>
  Object.assign(new Error(`listen EADDRINUSE: address already in use ${host}:${port}`), {
    code: "EADDRINUSE",
    syscall: "listen",
    port,
  });
