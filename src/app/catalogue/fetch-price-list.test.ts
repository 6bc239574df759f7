import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchPriceList } from "./fetch-price-list.ts";

const ANSWERS: Record<string, RequestListener> = {
  "/list": (_, response) => void response.end('{"m": {}}'),
  "/gone": (_, response) => void response.writeHead(404).end(),
  "/elsewhere": (_, response) => void response.writeHead(302, { location: "/list" }).end(),
  "/large": (_, response) => void response.end("x".repeat(2_000)),
  // The headers come, and the body never ends.
  "/slow": (_, response) => void response.write("{"),
};
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => ANSWERS[request.url ?? ""]?.(request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test("the text of a list is fetched", async () => {
  expect(await fetchPriceList(`${url}/list`)).toBe('{"m": {}}');
});

test.each([
  ["/gone", "it answered 404"],
  ["/elsewhere", "redirect"],
  ["/large", "it is larger than 1,000 bytes"],
  ["/slow", "no answer within 0.2 seconds"],
])("what is no list within the bounds is refused: %s, %s", async (path, problem) => {
  await expect(fetchPriceList(url + path, { timeoutMs: 200, mostBytes: 1_000 })).rejects.toThrow(problem);
});
