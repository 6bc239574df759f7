import { once } from "node:events";
import type { Server } from "node:http";

/** Begins to listen and says where, in a form a client can use. */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  const listening = once(server, "listening");
  server.listen({ host, port });
  await listening;
  const address = server.address();
  const found = typeof address === "object" && address !== null ? address.port : port;
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${found}`;
}
