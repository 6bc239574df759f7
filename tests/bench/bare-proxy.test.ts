import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";

const running: { children: ChildProcess[]; servers: Server[] } = { children: [], servers: [] };

afterEach(() => {
  for (const child of running.children.splice(0)) child.kill();
  for (const server of running.servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function proxyInFrontOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  running.servers.push(server);
  await once(server, "listening");
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const child = spawn(process.execPath, [join(import.meta.dirname, "bare-proxy.ts"), target], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.children.push(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return (JSON.parse(line.toString()) as { url: string }).url;
}

test("the bare proxy passes method, path, headers, body, status and answer on as they are", async () => {
  const url = await proxyInFrontOf((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      response.writeHead(418, { "x-kind": "teapot" });
      response.write(`${request.method} ${request.url} ${String(request.headers["x-mark"])} `);
      response.end(Buffer.concat(chunks));
    });
  });

  const answer = await fetch(`${url}/some/path?q=1`, { method: "POST", headers: { "x-mark": "m" }, body: "a body" });

  expect(answer.status).toBe(418);
  expect(answer.headers.get("x-kind")).toBe("teapot");
  expect(await answer.text()).toBe("POST /some/path?q=1 m a body");
});

test("the bare proxy stops the provider when the caller leaves a stream", async () => {
  const { promise: callerGone, resolve } = Promise.withResolvers<void>();
  const url = await proxyInFrontOf((_request, response) => {
    response.on("close", resolve);
    response.writeHead(200).write("data: 1\n\n");
  });
  const leaving = new AbortController();

  const answer = await fetch(url, { signal: leaving.signal });
  await answer.body?.getReader().read();
  leaving.abort();

  await callerGone;
});

test("the bare proxy stops reading from the provider when the caller does not read", async () => {
  const limitBytes = 64 * 2 ** 20;
  let writtenBytes = 0;
  const { promise: blocked, resolve } = Promise.withResolvers<void>();
  const url = await proxyInFrontOf((_request, response) => {
    const chunk = Buffer.alloc(65_536);
    const write = (): void => {
      while (writtenBytes < limitBytes) {
        writtenBytes += chunk.length;
        if (!response.write(chunk)) break;
      }
      // Once the buffers on the way are full, no drain follows for as long as nobody reads.
      clearTimeout(quiet);
      quiet = setTimeout(resolve, 500);
    };
    let quiet = setTimeout(resolve, 5_000);
    response.writeHead(200);
    response.on("drain", write);
    write();
  });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");

  await blocked;

  expect(writtenBytes).toBeLessThan(limitBytes);
  socket.destroy();
});

test("a provider that cannot be reached is answered with 502", async () => {
  const url = await proxyInFrontOf((request) => request.socket.destroy());

  const answer = await fetch(url, { method: "POST", body: "x" });

  expect(answer.status).toBe(502);
});
