import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A cable from somebody to a port of somebody else. */
export type OpenLink = {
  /** Where the one end is plugged in. */
  port: number;
  /** From now on nothing arrives, in either direction, and nobody is told: connections stay open, and new ones are taken and hear nothing. */
  cut: () => void;
  /** What was open when it was cut is reset, as after a long silence; new connections pass. */
  heal: () => void;
};

/** A link to a port of the loopback interface. */
export async function createLink(targetPort: number): Promise<OpenLink> {
  const open = new Set<Socket>();
  let isCut = false;

  const server = createServer((near) => {
    open.add(near);
    near.on("error", () => undefined);
    near.once("close", () => open.delete(near));
    if (isCut) near.pause();
    else join(near, connect(targetPort, "127.0.0.1"));
  });

  /** Bytes pass both ways, and the end of one side is the end of the other. While the link is cut neither is heard of. */
  const join = (near: Socket, far: Socket): void => {
    open.add(far);
    far.on("error", () => undefined);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      from.on("data", (bytes: Buffer) => {
        if (isCut) return;
        if (!to.write(bytes)) from.pause();
      });
      to.on("drain", () => {
        if (!isCut) from.resume();
      });
      from.on("end", () => {
        if (!isCut) to.end();
      });
      from.once("close", () => {
        open.delete(from);
        if (!isCut) to.destroy();
      });
    }
  };

  const reset = (): void => {
    for (const socket of open) {
      socket.resetAndDestroy();
      open.delete(socket);
    }
  };

  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      for (const socket of open) socket.pause();
    },
    heal: () => {
      if (!isCut) return;
      isCut = false;
      reset();
    },
  };
}
