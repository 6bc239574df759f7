import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";

const GIBIBYTE = 1_073_741_824;
const TAKEN_AT_MOST = 65_536;

let gateway: GatewayProcess;
beforeAll(async () => {
  // Records of requests are written to files of the same process, which the kernel counts, too.
  gateway = await startGatewayProcess({ settings: { TOLLGATE_RECORDS_FLUSH_MS: "60000" } });
});
afterAll(() => gateway.stop());

const head = (extra: string): string =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${extra}\r\n\r\n`;

async function dial(): Promise<Socket> {
  const socket = connect(Number(new URL(gateway.publicUrl).port), "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Bytes the process has taken from all its sockets and files, by the kernel's count. */
function bytesRead(): number {
  return Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${gateway.pid}/io`, "utf8"))?.[1]);
}

/** A process that has just started still reads its database. */
async function untilItReadsNothing(): Promise<void> {
  for (let before = -1; bytesRead() - before > 1_024;) {
    before = bytesRead();
    await sleep(500);
  }
}

test.each([
  ["announced length", `content-length: ${GIBIBYTE}`],
  ["no announced length", "transfer-encoding: chunked"],
])("a stranger without a key is refused before any of the body is sent (%s)", async (_name, extra) => {
  const socket = await dial();
  socket.write(head(extra));
  const [answer] = (await once(socket, "data")) as [Buffer];

  expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
  expect(answer.toString()).toMatch(/connection: close/i);
  socket.destroy();
});

test("a stranger who sends anyway is refused before 64 KiB have come", async () => {
  const socket = await dial();
  const sent = head(`content-length: ${GIBIBYTE}`);
  socket.write(sent + " ".repeat(TAKEN_AT_MOST - sent.length - 1));
  const [answer] = (await once(socket, "data")) as [Buffer];

  expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
});

test("of what a stranger sends as fast as it can, little is taken", async () => {
  await untilItReadsNothing();
  const socket = await dial();
  const before = bytesRead();
  socket.write(head(`content-length: ${GIBIBYTE}`));
  const block = Buffer.alloc(65_536, 0x20);
  let answer = "";
  socket.on("data", (bytes: Buffer) => (answer += bytes.toString()));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const push = (): void => {
    while (!socket.destroyed && socket.write(block));
    socket.once("drain", push);
  };
  push();
  await closed;

  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  console.log(`1 GiB announced: ${bytesRead() - before} bytes read`);
  expect(bytesRead() - before).toBeLessThan(4 * TAKEN_AT_MOST);
});

test("a stranger with a large body reads the refusal, not a reset", async () => {
  for (let round = 0; round < 20; round++) {
    const response = await fetch(`${gateway.publicUrl}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer tgc_wrong", "content-type": "application/json" },
      body: JSON.stringify({ model: "x", messages: [{ role: "user", content: "x".repeat(300_000) }] }),
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: "invalid_credentials" } });
  }
});

test("a caller with a key is refused a body over the limit, and told the limit", async () => {
  const socket = await dial();
  socket.write(head(`authorization: Bearer ${gateway.keys.credit}\r\ncontent-length: ${GIBIBYTE}`));
  const [answer] = (await once(socket, "data")) as [Buffer];

  expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer.toString()).toContain("32 MiB");
  socket.destroy();
});
