import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createPools } from "./pools.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

test("providers are offered HTTP/1.1 alone, so that a connection that dies in silence takes one answer with it", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  const pools = createPools({ connectionsPerOrigin: 1 });
  closing.push(pools.close);
  const connected = once(server, "connection");
  const pool = pools.of(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, 30_000);
  const refused = expect(pool.request({ method: "POST", path: "/" })).rejects.toThrow();
  const [socket] = (await connected) as [Socket];
  // The first message of TLS is readable by anyone, and says which protocols may be spoken after it.
  const [hello] = (await once(socket, "data")) as [Buffer];
  socket.destroy();

  await refused;
  expect(hello.includes("\u0008http/1.1")).toBe(true);
  expect(hello.includes("\u0002h2")).toBe(false);
});
