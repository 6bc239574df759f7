import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A pod as a Service sees it. */
export type Endpoint = { url: string };

export type Service = {
  url: string;
  /** Says which pods should get new connections. Nodes know it only after a while. */
  announce: (endpoints: readonly Endpoint[]) => void;
  /** Resolves when all that was announced is known. */
  settled: () => Promise<void>;
  /** New connections per pod. */
  connections: (endpoint: Endpoint) => number;
  close: () => Promise<void>;
};

/**
 * As kube-proxy does it: a new connection goes to any of the pods it knows as ready, and stays there whatever becomes of the
 * pod. It learns of a change some time after the change.
 */
export async function startService({ delayMs }: { delayMs: number }): Promise<Service> {
  let known: readonly Endpoint[] = [];
  let latest = Promise.resolve();
  const counts = new Map<string, number>();
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const endpoint = known[(turn += 1) % Math.max(1, known.length)];
    if (endpoint === undefined) {
      client.destroy();
      return;
    }
    counts.set(endpoint.url, (counts.get(endpoint.url) ?? 0) + 1);
    const { hostname, port } = new URL(endpoint.url);
    const pod = connect({ port: Number(port), host: hostname, noDelay: true });
    for (const [socket, other] of [
      [client, pod],
      [pod, client],
    ] as const) {
      open.add(socket);
      // A pod that refuses, or resets, is seen as that by its client.
      socket.on("error", () => other.resetAndDestroy()).on("close", () => open.delete(socket));
    }
    client.pipe(pod).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    announce: (endpoints) => {
      latest = sleep(delayMs).then(() => void (known = endpoints));
    },
    settled: () => latest,
    connections: ({ url }) => counts.get(url) ?? 0,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
