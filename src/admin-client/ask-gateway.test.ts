import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createOpenEvents } from "./ask-gateway.ts";

/** What is read of a stream that comes in these pieces. */
async function readOf(pieces: readonly (string | Buffer)[]): Promise<unknown[]> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const piece of pieces) response.write(piece);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const open = createOpenEvents({ adminUrl: `http://127.0.0.1:${port}`, adminToken: "x" });
  try {
    return await Array.fromAsync(await open("/live/events"));
  } finally {
    server.close();
  }
}

test("events are read in every form that the format allows, and comments are none", async () => {
  const read = await readOf([
    'retry: 1000\n\nevent: live\ndata: {"more":1}\n\n',
    ": nothing new\n\n",
    'event:live\r\ndata:{"more":2}\r\n\r\n',
    'data: {"more":\ndata: 3}\nevent: live\n\n',
    'data: {"more":4}\n\n',
  ]);

  expect(read).toEqual([1, 2, 3].map((more) => ({ name: "live", data: { more } })));
});

test("an event that is cut within a character is read whole, and one without its end is not", async () => {
  const bytes = Buffer.from('event: finished\ndata: {"model":"modèle"}\n\n');
  const cut = bytes.indexOf("è") + 1;

  expect(await readOf([bytes.subarray(0, cut), bytes.subarray(cut), "event: live\ndata: {}\n"])).toEqual([
    { name: "finished", data: { model: "modèle" } },
  ]);
});
