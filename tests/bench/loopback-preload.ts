/** Loaded into a Node program that has no setting for it: what listens without naming a host listens on loopback alone. */
import { Server } from "node:net";

// Bound anew below, with the server it is called on.
// oxlint-disable-next-line typescript/unbound-method
const { listen } = Server.prototype;

Server.prototype.listen = function listenOnLoopback(this: Server, ...words: unknown[]): Server {
  const [first, second, ...rest] = words;
  const hostless = typeof first === "number" && typeof second !== "string";
  const callbacks = [second, ...rest].filter((word) => word !== undefined);
  return Reflect.apply(listen, this, hostless ? [first, "127.0.0.1", ...callbacks] : words) as Server;
};
