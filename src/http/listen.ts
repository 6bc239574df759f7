import type { FastifyInstance } from "fastify";

/** Begins to listen and says where, in a form a client can use. */
export async function listen(app: FastifyInstance, { host, port }: { host: string; port: number }): Promise<string> {
  await app.listen({ host, port });
  const address = app.server.address();
  const found = typeof address === "object" && address !== null ? address.port : port;
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${found}`;
}
