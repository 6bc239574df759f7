import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Drain } from "./drain.ts";
import type { Handler } from "../router.ts";

/** A connection as its requests leave it. */
type Connection = {
  requests: number;
  /** To the last request, unless it has closed: a finished one must not be kept until the next comes. */
  response: ServerResponse | null;
};

/**
 * Connections outlive their requests, and a load balancer that sends no new ones here does not take the old ones away. While the
 * process is leaving, each closes after the next response that can say so, and those that carry no request close with the listener.
 */
export function createKeptConnections(server: Server, drain: Drain) {
  const connections = new Map<Socket, Connection>();
  server.on("connection", (socket: Socket) => {
    connections.set(socket, { requests: 0, response: null });
    socket.once("close", () => connections.delete(socket));
  });

  return {
    attend:
      (handle: Handler): Handler =>
      (request, response) => {
        const { socket } = request;
        const connection = connections.get(socket) ?? { requests: 0, response: null };
        connection.requests++;
        connection.response = response;
        if (drain.isDraining()) response.shouldKeepAlive = false;
        response.once("close", () => {
          connection.requests--;
          if (connection.response === response) connection.response = null;
          // Earlier, a client that was told its connection stays could be sending its next request on it already.
          if (connection.requests === 0 && drain.isClosed()) socket.end();
        });
        handle(request, response);
      },
    /** The response to the last request on a connection; null when there was none, or it has closed. */
    latest: (socket: Socket): ServerResponse | null => connections.get(socket)?.response ?? null,
    /** A connection that is no longer HTTP, or null: it still has requests to answer, and what came behind them is not served. */
    take: (socket: Socket): Socket | null => {
      if ((connections.get(socket)?.requests ?? 0) > 0) return null;
      connections.delete(socket);
      return socket;
    },
    /** What has been written still arrives: Node's own way would cut off a slow reader, whose connection it calls idle. */
    endIdle: (): void => {
      for (const [socket, { requests }] of connections) if (requests === 0) socket.end();
    },
  };
}
