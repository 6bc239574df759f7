import { once } from "node:events";
import { createServer } from "node:net";
import { CommandError } from "../report-failure.ts";

const HIGHEST_PORT = 65_535;

/** An admin port for each worker: the configured one and those after it, or, where it is 0, any that are free. */
export async function chooseAdminPorts(
  { host, port }: { host: string; port: number },
  count: number,
): Promise<number[]> {
  if (port === 0) return freePorts(host, count);
  if (port + count - 1 > HIGHEST_PORT) {
    throw new CommandError(
      `${count} workers need the admin ports from ${port} on, and there is none above ${HIGHEST_PORT}.`,
    );
  }
  return Array.from({ length: count }, (_, index) => port + index);
}

/** All are taken before any is given back, so that they differ. */
async function freePorts(host: string, count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen({ host, port: 0 });
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
