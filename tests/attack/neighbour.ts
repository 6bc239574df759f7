/**
 * A tenant that does no harm: it asks for a few words at a steady pace, whatever the others do, and says how long each answer
 * took. It runs in a process of its own, so that the attacker's work does not stand in its way.
 *
 *   node tests/attack/neighbour.ts <url> <secret> <model> <requests per second>
 */
import { Agent, request as openRequest } from "node:http";

/** `startedMs` is its place on the clock. */
export type Sample = { startedMs: number; tookMs: number; status: number };

const [url = "", secret = "", model = "", perSecond = "20"] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const everyMs = 1_000 / Number(perSecond);
const body = JSON.stringify({ model, max_tokens: 20, messages: [{ role: "user", content: "Good morning." }] });

/** Whatever goes wrong with the connection is a status of 0. */
function ask(startedMs: number): void {
  const began = performance.now();
  let told = false;
  const tell = (status: number): void => {
    if (told) return;
    told = true;
    process.send?.({ startedMs, tookMs: performance.now() - began, status } satisfies Sample);
  };
  const request = openRequest(`${url}/v1/chat/completions`, {
    method: "POST",
    agent,
    timeout: 60_000,
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", "content-length": body.length },
  });
  request.on("response", (response) => {
    response.resume();
    response.once("end", () => tell(response.statusCode ?? 0));
    response.once("close", () => tell(0));
  });
  request.on("timeout", () => request.destroy());
  request.on("error", () => tell(0));
  request.end(body);
}

// Requests keep their places on the clock: one that waits does not hold up the next.
let sent = 0;
const beganMs = Date.now();
setInterval(() => {
  for (; beganMs + sent * everyMs <= Date.now(); sent += 1) ask(beganMs + sent * everyMs);
}, 5);
process.once("disconnect", () => process.exit(0));
