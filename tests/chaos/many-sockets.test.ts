import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { issueKey } from "../contract/operator.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { create, openSocket, type SocketClient } from "../support/socket-client.ts";
import { until } from "../support/until.ts";

const SOCKETS = 1_000;
const KEYS = 4;
/** Far above what one takes, and far below what a request would. */
const MOST_BYTES = 64 * 1024;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      quick: { upstream: "sim+tokens=10", dialect: "responses" },
      paced: { upstream: "sim+tokens=200+rate=20", dialect: "responses" },
    },
    settings: { TOLLGATE_WEBSOCKET_ENABLED: "on" },
  });
});
afterAll(() => gateway.stop());

test(`${SOCKETS} WebSockets are open at once, each gets its response, and those that are cut are charged [WSK-2, WSK-6]`, async () => {
  const keys = await Promise.all(Array.from({ length: KEYS }, () => issueKey(gateway, { credit: "1000" })));
  const keyAt = (index: number): string => keys[index % KEYS]?.secret ?? "";
  await warmUp(keyAt(0));
  const before = residentBytes(gateway.pid);
  const sockets: SocketClient[] = [];
  for (let index = 0; index < SOCKETS; index += 50)
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: 50 }, (_, more) => openSocket({ url: gateway.publicUrl, key: keyAt(index + more) })),
      )),
    );
  const idle = (residentBytes(gateway.pid) - before) / SOCKETS;
  const open = /^tollgate_open_websockets (\d+)/m.exec(await gateway.metrics())?.[1];

  const endings = await Promise.all(
    sockets.map(async (socket) => {
      socket.send(create("quick", { max_output_tokens: 50 }));
      return (await socket.response()).at(-1)?.type;
    }),
  );
  const used = (residentBytes(gateway.pid) - before) / SOCKETS;

  const cut = sockets.slice(0, SOCKETS / 4);
  for (const socket of cut) socket.send(create("paced", { max_output_tokens: 250 }));
  for (const socket of cut) while ((await socket.next()).type !== "response.output_text.delta");
  for (const { ws } of cut) ws.terminate();
  await until(async () => /^tollgate_open_streams 0/m.test(await gateway.metrics()), "all streams have ended", 60_000);
  const cancelled = /^tollgate_outcomes_total\{outcome="client_gone"\} (\d+)/m.exec(await gateway.metrics())?.[1];
  for (const { ws } of sockets) ws.terminate();

  console.log(
    `${SOCKETS} sockets, ${Math.round(idle / 1024)} KiB resident per idle socket, ${Math.round(used / 1024)} KiB after a response each (simulator and database in the same process)`,
  );
  expect(open).toBe(String(SOCKETS));
  expect(new Set(endings)).toEqual(new Set(["response.completed"]));
  expect(idle).toBeLessThan(MOST_BYTES);
  expect(cancelled).toBe(String(cut.length));
  expect((await gateway.tollgate("ledger", "verify")).code).toBe(0);
});

/** Code is compiled and caches are filled before memory is compared. */
async function warmUp(key: string): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket({ url: gateway.publicUrl, key })));
    await Promise.all(
      sockets.map(async (socket) => {
        socket.send(create("quick", { max_output_tokens: 50 }));
        await socket.response();
        socket.ws.terminate();
      }),
    );
  }
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
