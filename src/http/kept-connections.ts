import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Drain } from "./drain.ts";
import type { Handler } from "./router.ts";

/**
 * Connections outlive their requests, and a load balancer that sends no new ones here does not take the old ones away. While the
 * process is leaving, each closes after the next response that can say so, and those that carry no request close with the listener.
 */
export function createKeptConnections(server: Server, drain: Drain) {
  const requests = new Map<Socket, number>();
  server.on("connection", (socket: Socket) => {
    requests.set(socket, 0);
    socket.once("close", () => requests.delete(socket));
  });
  const add = (socket: Socket, change: 1 | -1): number => {
    const count = (requests.get(socket) ?? 0) + change;
    if (requests.has(socket)) requests.set(socket, count);
    return count;
  };

  return {
    attend:
      (handle: Handler): Handler =>
      (request, response) => {
        const { socket } = request;
        add(socket, 1);
        if (drain.isDraining()) response.shouldKeepAlive = false;
        response.once("close", () => {
          // Earlier, a client that was told its connection stays could be sending its next request on it already.
          if (add(socket, -1) === 0 && drain.isClosed()) socket.end();
        });
        handle(request, response);
      },
    /** What has been written still arrives: Node's own way would cut off a slow reader, whose connection it calls idle. */
    endIdle: (): void => {
      for (const [socket, count] of requests) if (count === 0) socket.end();
    },
  };
}
