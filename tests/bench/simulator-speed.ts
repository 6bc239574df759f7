/**
 * How many events a second one simulator process produces. The reader is this process, on raw sockets, and counts `data:`
 * in the bytes it receives. Usage: node tests/bench/simulator-speed.ts [seconds per mode]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";

type Mode = { name: string; streams: number; script: string };

const MODES: Mode[] = [
  { name: "batch", streams: 50, script: "tokens=1000000" },
  { name: "flush=each", streams: 50, script: "tokens=1000000+flush=each" },
  { name: "flush=each, 500 streams", streams: 500, script: "tokens=1000000+flush=each" },
  { name: "paced, 2000 streams at 5/s", streams: 2000, script: "tokens=1000000+flush=each+rate=5" },
];

const seconds = Number(process.argv[2] ?? 4);
const child = spawn(process.execPath, ["src/simulator/main.ts"], { stdio: ["ignore", "pipe", "inherit"] });
const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
const port = Number(new URL((JSON.parse(line) as { url: string }).url).port);

for (const mode of MODES) {
  const counter = { events: 0 };
  const sockets = Array.from({ length: mode.streams }, () => openStream(mode.script, counter));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const before = { events: counter.events, cpuMs: cpuMsOf(child.pid ?? 0), atMs: performance.now() };
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const elapsedSeconds = (performance.now() - before.atMs) / 1000;
  const perSecond = (counter.events - before.events) / elapsedSeconds;
  const cpuShare = (cpuMsOf(child.pid ?? 0) - before.cpuMs) / 10 / elapsedSeconds;
  console.log(`${mode.name}: ${Math.round(perSecond)} events/s, simulator at ${Math.round(cpuShare)} % of a core`);
  for (const socket of sockets) socket.destroy();
}
child.kill("SIGTERM");

function openStream(script: string, counter: { events: number }): Socket {
  const body = JSON.stringify({ model: `sim+${script}`, stream: true, messages: [{ role: "user", content: "go" }] });
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: simulator\r\nauthorization: Bearer x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  let tail: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    // An event's prefix may lie across two chunks; the last four bytes of one are too short to be counted twice.
    const seam = Buffer.concat([tail, chunk.subarray(0, 4)]);
    counter.events += occurrences(seam) + occurrences(chunk);
    tail = chunk.subarray(-4);
  });
  return socket;
}

function occurrences(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf("data:"); at >= 0; at = bytes.indexOf("data:", at + 5)) count += 1;
  return count;
}

/** Processor time of a process, from Linux; elsewhere it reads as zero. */
function cpuMsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}
