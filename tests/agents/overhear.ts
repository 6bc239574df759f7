import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A gateway that is listened in on: what its answers say was lost on the way to the provider, each field once. */
type Overheard = AsyncDisposable & { origin: string; dropped: () => string[] };

const DROPPED = /dropped=(.*)$/;

/** Agents show no headers, so somebody between them and the gateway reads what it declares. Bytes pass as they come. */
export async function overhear(gateway: string): Promise<Overheard> {
  const dropped = new Set<string>();
  const sockets = new Set<Duplex>();
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = request(new URL(url ?? "/", gateway), { method, headers }, (answer) => {
      const [, fields] = DROPPED.exec(String(answer.headers["x-tollgate-fidelity"])) ?? [];
      for (const field of fields?.split(",") ?? []) dropped.add(field);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      // An answer that breaks off breaks off here too, which the pipeline sees to.
      pipeline(answer, outgoing).catch(() => undefined);
    });
    outgoing.on("close", () => forwarded.destroy());
    pipeline(incoming, forwarded).catch(() => outgoing.destroy());
  });
  // What a socket carries has no headers to read.
  server.on("upgrade", ({ method, url, rawHeaders }, socket, head) => {
    const { hostname, port } = new URL(gateway);
    const forwarded = connect(Number(port), hostname);
    const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
    forwarded.write([`${method} ${url} HTTP/1.1`, ...lines, "\r\n"].join("\r\n"));
    forwarded.write(head);
    pipeline(socket, forwarded, socket).catch(() => undefined);
    sockets.add(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    dropped: () => [...dropped],
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
