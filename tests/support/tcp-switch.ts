import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type Switch = {
  port: number;
  /** Cuts what is open; from now on connections lead to this port. */
  turnTo: (port: number) => void;
  close: () => Promise<void>;
};

/** One address whose server changes, as a virtual address or a proxy does. */
export async function startSwitch(first: number): Promise<Switch> {
  let target = first;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const backend = connect(target, "127.0.0.1");
    for (const socket of [client, backend]) {
      open.add(socket);
      socket.on("error", () => undefined).on("close", () => open.delete(socket));
    }
    client.pipe(backend).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => open.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    turnTo: (port: number): void => {
      target = port;
      cut();
    },
    close: async (): Promise<void> => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
