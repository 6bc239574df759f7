import { once } from "node:events";
import { createServer } from "node:net";

type Place = { host: string; port: number };

/** Binds every address together and lets go of it again; throws for the first that is taken, before anything else was touched. */
export async function requireFreePorts(places: readonly Place[]): Promise<void> {
  await using bound = new AsyncDisposableStack();
  for (const { host, port } of places) {
    const server = createServer();
    bound.defer(async () => {
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    });
    server.listen({ host, port, exclusive: true });
    await once(server, "listening");
  }
}
