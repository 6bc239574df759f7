import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { tellQueued } from "./tell-queued.ts";

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const PATHS = ["/first", "/second", "/third"];

/** One connection that asks for everything at once; the first is never answered, the others are and must wait for it. */
async function threeAtOnce() {
  const answers = new Map<string, ServerResponse>();
  const closed: string[] = [];
  const server = createServer(
    tellQueued((request, response) => {
      const { url = "" } = request;
      answers.set(url, response);
      response.on("close", () => closed.push(url));
      if (url !== "/first") response.end(url);
      if (answers.size === PATHS.length) server.emit("asked");
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  closing.push(() => (caller.destroy(), server.closeAllConnections(), server.close()));
  const asked = once(server, "asked");
  caller.write(PATHS.map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(""));
  await asked;
  return { answers, closed, caller };
}

test("answers that wait behind another hear once that their caller has left", async () => {
  const { answers, closed, caller } = await threeAtOnce();
  const last = Promise.all([...answers.values()].map((response) => once(response, "close")));
  caller.destroy();
  await last;

  expect(closed.toSorted()).toEqual(PATHS);
  expect([...answers.values()].map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
});

test("answers whose turn comes are sent as ever", async () => {
  const { answers, closed, caller } = await threeAtOnce();
  let text = "";
  caller.on("data", (bytes: Buffer) => (text += bytes.toString("latin1")));
  answers.get("/first")?.end("/first");
  while (!text.endsWith("/third")) await once(caller, "data");

  expect(text.match(/\/(first|second|third)/g)).toEqual(PATHS);
  caller.destroy();
  expect(closed).toEqual(PATHS);
});
