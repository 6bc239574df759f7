import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { createDrain } from "./drain.ts";
import { createKeptConnections } from "./kept-connections.ts";

const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((cleanup) => cleanup()));

const REQUEST = "GET / HTTP/1.1\r\nhost: here\r\n\r\n";

/** A server whose responses the test ends itself. */
async function stage() {
  const server = createServer();
  const drain = createDrain({ clock: systemClock });
  const connections = createKeptConnections(server, drain);
  server.closeIdleConnections = connections.endIdle;
  const waiting: ServerResponse[] = [];
  server.on(
    "request",
    connections.attend((_request, response) => {
      waiting.push(response);
      server.emit("told");
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const send = async (socket: Socket): Promise<ServerResponse> => {
    const told = once(server, "told");
    socket.write(REQUEST);
    await told;
    return waiting.at(-1) as ServerResponse;
  };
  const open = async (): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return socket;
  };
  const leave = (delayMs: number) =>
    drain.finish({ delayMs, deadlineMs: 10_000, closeListener: () => void server.close() });
  return { send, open, leave };
}

/** Everything a connection brings until it closes. */
async function textOf(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}

test("while the process is leaving, a request is served on a connection that closes after it", async () => {
  const { send, open, leave } = await stage();
  const socket = await open();
  void leave(60_000);

  const text = textOf(socket);
  (await send(socket)).end("served");

  expect(await text).toMatch(/connection: close[^]*served$/i);
});

test("after a response that began before, the connection serves one more request and says that it closes", async () => {
  const { send, open, leave } = await stage();
  const socket = await open();
  const text = textOf(socket);
  const first = await send(socket);
  first.write("first");
  await once(socket, "data");

  void leave(60_000);
  first.end();
  await once(first, "close");
  (await send(socket)).end("second");

  expect(await text).toMatch(/connection: keep-alive[^]*first[^]*connection: close[^]*second$/i);
});

test("once the listener is closed, a response closes its connection when it ends, and not earlier", async () => {
  const { send, open, leave } = await stage();
  const socket = await open();
  const response = await send(socket);
  const text = textOf(socket);
  response.write("first ");
  await once(socket, "data");

  void leave(0);
  response.end("last");

  expect(await text).toMatch(/connection: keep-alive[^]*first [^]*last[^]*0\r\n\r\n$/i);
});

test("a connection without a request closes with the listener", async () => {
  const { send, open, leave } = await stage();
  const [fresh, used] = [await open(), await open()];
  (await send(used)).end("served");
  await once(used, "data");

  const ended = Promise.all([once(fresh.resume(), "end"), once(used.resume(), "end")]);
  await leave(0);

  await ended;
});
