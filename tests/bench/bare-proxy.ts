/**
 * The least a Node proxy can do, and so the measure of what Tollgate adds: node:http in front, one undici pool behind, bytes
 * passed on as they come, nothing read or understood. Backpressure and a caller who leaves are respected, for a proxy that
 * ignores them is not an opponent. Usage: node bare-proxy.ts TARGET_URL [PORT]
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Dispatcher, Pool } from "undici";

/** Headers that concern one connection only; `host` and the length are written anew for the other one. */
const OF_THE_CONNECTION = new Set(["connection", "content-length", "host", "keep-alive", "transfer-encoding"]);

const [target = "", port = "0"] = process.argv.slice(2);
const pool = new Pool(target, { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 60_000 });

const server = createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => forward(request, response, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
});

function forward(request: IncomingMessage, response: ServerResponse, body: Buffer | undefined): void {
  const options: Dispatcher.DispatchOptions = {
    path: request.url ?? "/",
    method: request.method ?? "GET",
    headers: endToEnd(request.rawHeaders),
    body: body === undefined || body.length === 0 ? null : body,
  };
  let upstream: Dispatcher.DispatchController | null = null;
  response.on("close", () => {
    if (!response.writableFinished) upstream?.abort(new Error("the caller left"));
  });
  response.on("drain", () => upstream?.resume());

  pool.dispatch(options, {
    onRequestStart: (controller) => {
      upstream = controller;
      if (response.destroyed) controller.abort(new Error("the caller left"));
    },
    onResponseStart: (_controller, status, headers) => {
      delete headers.connection;
      delete headers["keep-alive"];
      delete headers["transfer-encoding"];
      response.writeHead(status, headers);
    },
    onResponseData: (controller, chunk) => {
      if (!response.write(chunk)) controller.pause();
    },
    onResponseEnd: () => {
      response.end();
    },
    onResponseError: () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    },
  });
}

function endToEnd(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (!OF_THE_CONNECTION.has(name.toLowerCase())) kept.push(name, rawHeaders[index + 1] ?? "");
  }
  return kept;
}

server.listen(Number(port), "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
});
process.once("SIGTERM", () => process.exit(0));
