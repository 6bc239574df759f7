import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { createClientErrors } from "./client-error.ts";

const REQUEST = "GET / HTTP/1.1\r\nhost: gateway\r\n\r\n";

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function dial(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  let latest: ServerResponse | null = null;
  const clientErrors = createClientErrors({ clock: systemClock, latest: () => latest });
  server = createServer(
    clientErrors.attend((request, response) => {
      latest = response;
      handle(request, response);
    }),
  );
  server.on("clientError", clientErrors.answer);
  server.listen({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const arrival = once(server, "connection") as Promise<[Socket]>;
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  const [accepted] = await arrival;
  return { socket, accepted };
}

test("bytes that are no request are answered 400 with an id and the envelope", async () => {
  const { socket } = await dial(() => undefined);
  socket.write("junk\r\n\r\n");
  const answer = await text(socket);

  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  const id = /x-request-id: (req_\w+)/.exec(answer)?.[1];
  expect(answer).toContain(`\r\nrequest-id: ${id}\r\n`);
  expect(answer).toContain(`"request_id":"${id}"`);
});

test("junk behind a request does not break into its answer: the answer is whole, and the 400 stands behind it", async () => {
  const { socket } = await dial((_request, response) => {
    response.writeHead(200, { "content-length": 8 });
    response.write("half");
    server.once("clientError", () => response.end("half"));
  });
  socket.write(`${REQUEST}\u0000junk\r\n\r\n`);
  const answer = await text(socket);

  expect(answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]+\r\n\r\nhalfhalfHTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer.match(/HTTP\/1\.1 400/g)).toHaveLength(1);
});

test("a body that breaks off its framing after the answer has begun ends the connection, and nothing is put into the answer", async () => {
  const { socket } = await dial((request, response) => {
    response.writeHead(200, { "content-length": 8 });
    response.write("half");
    request.on("error", () => undefined);
    socket.write("not a size\r\n");
  });
  socket.write(`POST / HTTP/1.1\r\nhost: gateway\r\ntransfer-encoding: chunked\r\n\r\n`);
  const answer = await text(socket).catch(() => "");

  expect(answer).not.toContain("400");
});

test("a caller that was told so and stays is hung up on", async () => {
  const { socket, accepted } = await dial(() => undefined);
  socket.write("junk\r\n\r\n");
  await once(accepted, "close");

  expect(accepted.destroyed).toBe(true);
  socket.destroy();
});

const withHeaders = (count: number): string =>
  `GET / HTTP/1.1\r\nhost: gateway\r\n${Array.from({ length: count - 1 }, (_, index) => `h${index}: x\r\n`).join("")}\r\n`;

test("a thousand headers are taken whole", async () => {
  const { socket } = await dial((request, response) => response.end(request.headers["h998"]));
  socket.end(withHeaders(1_000));
  const answer = await text(socket);

  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]+\r\n\r\nx$/);
});

test.each([1_001, 1_500])(
  "of %i headers none is dropped: they are refused, and so is what stands behind them",
  async (count) => {
    let served = 0;
    const { socket } = await dial((_request, response) => {
      served += 1;
      response.end();
    });
    socket.write(withHeaders(count) + REQUEST);
    const answer = await text(socket);

    expect(answer).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(served).toBe(0);
  },
);

test("too many headers behind a request are refused behind its answer", async () => {
  const { socket } = await dial((_request, response) => setImmediate(() => response.end("first")));
  socket.write(REQUEST + withHeaders(1_001));
  const answer = await text(socket);

  expect(answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]+first[\s\S]*HTTP\/1\.1 431 /);
});
