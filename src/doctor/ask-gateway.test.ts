import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { askGateway } from "./ask-gateway.ts";

async function listening(answer: string | null): Promise<number> {
  const server = createServer((request, response) => void (answer === null ? request.destroy() : response.end(answer)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const ask = (port: number, host = "127.0.0.1") => askGateway({ host, port });

test("what a gateway says of itself is told, also where it listens everywhere", async () => {
  const port = await listening('{"status":"degraded","reasons":["a route is slow"]}');

  expect(await ask(port)).toEqual({ status: "degraded", reasons: ["a route is slow"] });
  expect(await ask(port, "0.0.0.0")).toEqual({ status: "degraded", reasons: ["a route is slow"] });
});

test("one that takes connections and cuts them is in trouble; nobody at all, or another program, is no gateway", async () => {
  expect(await ask(await listening(null))).toMatchObject({ status: "unavailable", reasons: [expect.any(String)] });
  expect(await ask(await listening("{}"))).toBeNull();
  expect(await ask(await listening("<html>"))).toBeNull();
  expect(await ask(1)).toBeNull();
});
