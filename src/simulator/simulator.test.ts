import { createHash } from "node:crypto";
import { on, once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../tests/support/until.ts";
import { type Simulator, startSimulator } from "./simulator.ts";

let simulator: Simulator;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "recordings-"));
  await mkdir(join(folder, "chat-completions"));
  await writeFile(join(folder, "secret.json"), "{}");
  await writeFile(join(folder, "chat-completions", "short.chunks.txt"), '{"a":"é"}\n{"b":2}\n');
  await writeFile(join(folder, "chat-completions", "framed.sse"), ": hello\n\ndata: {}\n\ndata: [DONE]\n\n");
  await writeFile(join(folder, "chat-completions", "error.json"), '{"error":{"message":"recorded"}}');
  simulator = await startSimulator({ recordingsFolder: folder });
});
afterAll(async () => {
  await simulator.close();
  await rm(folder, { recursive: true });
});

const ask = (script: string, extra: object = {}) =>
  fetch(`${simulator.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer k" },
    body: JSON.stringify({
      model: `sim+${script}`,
      messages: [{ role: "user", content: "x" }],
      stream: true,
      ...extra,
    }),
  });

const callOf = (response: Response) => {
  const callId = response.headers.get("x-sim-call-id");
  return simulator.witness.waitFor((call) => call.callId === callId && call.ended !== null);
};

/** A call on a bare socket, for what `fetch` hides. */
function askOnSocket(script: string): { socket: Socket; callId: Promise<string> } {
  const { port } = new URL(simulator.url);
  const body = JSON.stringify({ model: `sim+${script}`, messages: [{}], stream: true });
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  const callId = simulator.witness.waitFor((call) => call.model === `sim+${script}`).then((call) => call.callId);
  return { socket, callId };
}

test("the witness counts every event and byte, and its hash is that of the bytes received", async () => {
  const response = await ask("tokens=500+hash");
  const bytes = Buffer.from(await response.arrayBuffer());
  const call = await callOf(response);

  expect(call).toMatchObject({
    ended: "completed",
    tokensProduced: 500,
    eventsProduced: 503,
    bytesProduced: bytes.length,
  });
  expect(call.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
});

test("writing every event by itself changes nothing about the bytes", async () => {
  const strip = (text: string) => text.replaceAll(/"(id|created|model)":("[^"]*"|\d+)/g, "");

  const [batch, each] = await Promise.all([ask("tokens=300"), ask("tokens=300+flush=each")]);

  expect(strip(await each.text())).toBe(strip(await batch.text()));
});

test("a reset leaves the tokens before it and no end of the body", async () => {
  const { socket } = askOnSocket("fail=reset@5");
  socket.on("error", () => undefined);
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));

  await new Promise((resolve) => socket.once("close", resolve));

  expect(text.match(/"content":"[^"]/g)).toHaveLength(5);
  expect(text).not.toMatch(/\r\n0\r\n\r\n$/);
});

// On Node 24 a reader is told of a mere end when a reset reaches it together with the bytes before it; so these are read first.
test("a reset arrives as a reset", async () => {
  const { socket, callId } = askOnSocket("pause=5+fail=reset@5");
  let text = "";
  for await (const [chunk] of on(socket, "data") as AsyncIterable<[Buffer]>) {
    text += chunk.toString();
    if (text.match(/"content":"[^"]/g)?.length === 5) break;
  }

  simulator.release(await callId);
  const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];

  expect(error.code).toBe("ECONNRESET");
});

test("a reset before anything sends nothing", async () => {
  const { socket } = askOnSocket("fail=reset");
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => (bytes += chunk.length));

  await once(socket, "error");

  expect(bytes).toBe(0);
});

test("a silent close is a well-formed body without its terminal event", async () => {
  const response = await ask("fail=close@5");
  const text = await response.text();

  expect(text.match(/"content":"[^"]/g)).toHaveLength(5);
  expect(text).not.toContain('finish_reason":"');
  expect(text).not.toContain("[DONE]");
  expect((await callOf(response)).ended).toBe("failed");
});

test("a hanging stream sends its tokens, then nothing, and notes when the caller leaves", async () => {
  const { socket, callId } = askOnSocket("fail=hang@2");
  await once(socket, "data");
  const id = await callId;
  expect(simulator.witness.find(id)).toMatchObject({ tokensProduced: 2, ended: null });

  socket.destroy();
  const call = await simulator.witness.waitFor((each) => each.callId === id && each.ended !== null);

  expect(call).toMatchObject({ ended: "caller_gone", tokensProduced: 2 });
  expect(call.callerGoneAtMs).toBeGreaterThanOrEqual(call.receivedAtMs);
});

test("a caller that leaves while nothing has been sent is noted at once", async () => {
  const { socket, callId } = askOnSocket("ttft=3600000");
  const id = await callId;

  socket.destroy();

  const call = await simulator.witness.waitFor((each) => each.callId === id && each.ended !== null);
  expect(call).toMatchObject({ ended: "caller_gone", bytesProduced: 0, firstByteAtMs: null });
});

test("a reader that takes nothing stops the production instead of filling memory", async () => {
  const { socket, callId } = askOnSocket("tokens=1000000+flush=batch");
  socket.pause();
  const id = await callId;
  await until(() => (simulator.witness.find(id)?.bytesProduced ?? 0) > 0, "something is produced");
  let produced = -1;
  while (produced !== (simulator.witness.find(id)?.bytesProduced ?? 0)) {
    produced = simulator.witness.find(id)?.bytesProduced ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  expect(produced).toBeGreaterThan(0);
  expect(produced).toBeLessThan(16 * 1024 * 1024);
  socket.destroy();
  await simulator.witness.waitFor((each) => each.callId === id && each.ended === "caller_gone");
});

test("a paused call waits for its own release", async () => {
  const [first, second] = await Promise.all([ask("pause=2+tokens=4"), ask("pause=0+tokens=4")]);
  const ids = [first, second].map((response) => response.headers.get("x-sim-call-id") ?? "");

  simulator.release(ids[1]);
  await second.text();
  expect(simulator.witness.find(ids[0] ?? "")).toMatchObject({ paused: true, ended: null, tokensProduced: 2 });
  const released = await fetch(`${simulator.url}/sim/release`, {
    method: "POST",
    body: JSON.stringify({ callId: ids[0] }),
  });

  expect(await released.json()).toEqual({ released: 1 });
  expect(await first.text()).toContain("[DONE]");
});

test("a plain call can be paused, broken and cut as well", async () => {
  const plain = { stream: false };
  const paused = ask("pause=1+tokens=2", plain);
  await simulator.witness.waitFor((call) => call.paused && !call.streamed);
  simulator.release();

  expect((await paused).status).toBe(200);
  expect((await ask("fail=error@1", plain)).status).toBe(500);
  await expect(ask("malformed=1", plain).then((response) => response.json())).rejects.toThrow(SyntaxError);
  await expect(ask("fail=close@1", plain).then((response) => response.text())).rejects.toThrow();
  await expect(ask("fail=reset@1", plain).then((response) => response.text())).rejects.toThrow();
});

test("broken JSON comes at its place and the stream goes on", async () => {
  const text = await (await ask("tokens=4+malformed=2")).text();
  const parsed = text
    .split("\n\n")
    .filter(Boolean)
    .map((event) => {
      try {
        JSON.parse(event.slice(6));
        return "good";
      } catch {
        return event === "data: [DONE]" ? "done" : "broken";
      }
    });

  expect(parsed).toEqual(["good", "good", "good", "broken", "good", "good", "good", "done"]);
});

test("a paced stream takes the time its tokens take", async () => {
  const response = await ask("tokens=11+rate=100+ttft=50");
  await response.text();
  const call = await callOf(response);

  expect((call.firstByteAtMs ?? 0) - call.receivedAtMs).toBeGreaterThanOrEqual(45);
  expect((call.endedAtMs ?? 0) - (call.firstByteAtMs ?? 0)).toBeGreaterThanOrEqual(95);
});

test("a plain answer of a given size is that long, and the same bytes each time", async () => {
  const [first, second] = await Promise.all(
    [1, 2].map(async () => (await ask("answer=600", { stream: false })).text()),
  );

  expect(Buffer.byteLength(first ?? "")).toBe(600);
  expect(second).toBe(first);
  expect(JSON.parse(first ?? "")).toMatchObject({ usage: { completion_tokens: 40 } });
});

test("recordings are replayed with their terminal event, as sent, or as a body with a status", async () => {
  expect(await (await ask("recording=short.chunks.txt")).text()).toBe(
    'data: {"a":"é"}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n',
  );
  expect(await (await ask("recording=framed.sse")).text()).toBe(": hello\n\ndata: {}\n\ndata: [DONE]\n\n");
  const error = await ask("recording=error.json+fail=429");
  expect([error.status, await error.json()]).toEqual([429, { error: { message: "recorded" } }]);
});

test("no name reaches a file outside the folder of its dialect", async () => {
  for (const name of ["../secret.json", "..%2fsecret.json", "/etc/passwd", ".", "..", "missing.json", "secret.json"]) {
    expect((await ask(`recording=${name}`)).status).toBe(400);
  }
});

test("hostile bodies and unknown paths are refused in the provider's shape", async () => {
  const post = (body: string, headers: Record<string, string> = { authorization: "Bearer k" }) =>
    fetch(`${simulator.url}/v1/chat/completions`, { method: "POST", headers, body });

  for (const body of ["", "{", "[]", "null", '"x"', '{"model":"sim"}', "[".repeat(100_000)]) {
    const response = await post(body);
    expect([response.status, Object.keys(((await response.json()) as { error: object }).error)]).toEqual([
      400,
      ["message", "type", "code", "param"],
    ]);
  }
  expect((await post("{}", {})).status).toBe(401);
  expect((await post("{}", { authorization: "Bearer " })).status).toBe(401);
  expect((await post("{}", { "x-api-key": "k" })).status).toBe(401);
  expect((await fetch(`${simulator.url}/v1/elsewhere`)).status).toBe(404);
});

test("the witness is read as JSON lines from a place on, and can be forgotten", async () => {
  await (await ask("tokens=1")).text();
  const last = simulator.witness.calls().at(-1)?.seq ?? 0;
  await (await ask("tokens=2")).text();

  const rows = await (await fetch(`${simulator.url}/sim/witness?since=${last}`)).text();
  expect(
    rows
      .trimEnd()
      .split("\n")
      .map((row) => (JSON.parse(row) as { model: string }).model),
  ).toEqual(["sim+tokens=2"]);
  expect((await fetch(`${simulator.url}/sim/witness?since=x`)).status).toBe(400);
  await fetch(`${simulator.url}/sim/reset`, { method: "POST" });

  expect(simulator.witness.calls()).toEqual([]);
});
