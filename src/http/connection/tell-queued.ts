import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Handler } from "../router.ts";

/**
 * Requests may be sent before the answers to earlier ones have come. An answer that has to wait for its turn belongs to no
 * connection yet, and Node 24 does not tell it when that one closes: its work would go on for nobody, and count as open for ever.
 */
export function tellQueued(handle: Handler): Handler {
  const queues = new WeakMap<Socket, Set<ServerResponse>>();

  function queueOf(socket: Socket): Set<ServerResponse> {
    const known = queues.get(socket);
    if (known) return known;
    const queue = new Set<ServerResponse>();
    queues.set(socket, queue);
    socket.once("close", () => queue.forEach(close));
    return queue;
  }

  return (request, response) => {
    if (response.socket === null) {
      const queue = queueOf(request.socket).add(response);
      response.once("close", () => queue.delete(response));
    }
    handle(request, response);
  };
}

/** As Node does it for an answer that has its connection. */
function close(response: ServerResponse): void {
  if (response.destroyed) return;
  response.destroyed = true;
  response.emit("close");
}
