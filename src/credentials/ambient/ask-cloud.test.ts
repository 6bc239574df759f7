import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { askCloud } from "./ask-cloud.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function at(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const signal = new AbortController().signal;

test("an answer is read, and one that leads elsewhere is not followed", async () => {
  const paths: string[] = [];
  const url = await at((request, response) => {
    paths.push(request.url ?? "");
    response.writeHead(307, { location: "/elsewhere", "x-a": "b" }).end("there");
  });

  expect(await askCloud({ url, method: "POST", body: "secret=1", signal })).toMatchObject({
    status: 307,
    headers: { "x-a": "b" },
    text: "there",
  });
  expect(paths).toEqual(["/"]);
});

test("an answer without measure is not read to its end", async () => {
  let sent = 0;
  const url = await at((_request, response) => {
    const more = (): void => {
      while (sent < 50_000_000 && response.write(Buffer.alloc(65_536))) sent += 65_536;
    };
    response.on("drain", more);
    more();
  });

  await expect(askCloud({ url, method: "GET", signal })).rejects.toMatchObject({ code: "TOO_LARGE" });
  expect(sent).toBeLessThan(50_000_000);
});

test("one that does not come is given up in time, or when the asker gives up", async () => {
  const url = await at(() => undefined);
  const stop = new AbortController();
  const stopped = expect(askCloud({ url, method: "GET", signal: stop.signal })).rejects.toThrow(/abort/i);
  stop.abort();

  await stopped;
  await expect(askCloud({ url, method: "GET", timeoutMs: 100, signal })).rejects.toThrow(/timeout/i);
});
