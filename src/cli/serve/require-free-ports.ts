import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, isIPv6 } from "node:net";

type Place = { host: string; port: number };

/** A listener that takes no further connection keeps one waiting, and is one. */
const PATIENCE_MS = 1_000;

/**
 * Throws for the first address that is taken or cannot be had, before anything else was touched. It does not listen to find out: whoever
 * connected in that moment would be cut off when it stops, where one that finds nobody is refused and tries again.
 */
export async function requireFreePorts(places: readonly Place[]): Promise<void> {
  const ports = new Set<number>();
  for (const place of places) {
    if (place.port === 0) continue;
    if (ports.has(place.port) || (await answers(place))) throw takenError(place);
    ports.add(place.port);
    await requireAllowed(place);
  }
}

async function answers({ host, port }: Place): Promise<boolean> {
  const here = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  const socket = connect({ host: here, port, timeout: PATIENCE_MS });
  try {
    await Promise.race([once(socket, "connect"), once(socket, "timeout")]);
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Asked with a datagram socket: the same addresses and ports may be had, and nobody connects to it. */
async function requireAllowed({ host, port }: Place): Promise<void> {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  try {
    socket.bind({ address: host, port, exclusive: true });
    await once(socket, "listening");
  } catch (error) {
    // Another service may have it for datagrams.
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
  } finally {
    socket.close();
  }
}

const takenError = ({ host, port }: Place): Error =>
  Object.assign(new Error(`listen EADDRINUSE: address already in use ${host}:${port}`), { code: "EADDRINUSE", port });
