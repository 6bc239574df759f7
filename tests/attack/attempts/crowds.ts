import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { LockoutStage } from "../attempt.ts";
import { ask, type Answer, type Sent } from "../client.ts";
import { PATHS, type Format } from "../formats.ts";

/** So many callers that each ask again as soon as they are answered; says what they were answered. */
export async function crowd(
  { signal }: LockoutStage,
  callers: number,
  one: (number: number) => Promise<Answer>,
): Promise<string> {
  const statuses = new Map<number, number>();
  let number = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (!signal.aborted) {
        const { status } = await one((number += 1));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        // A caller that is answered at once still has to write its next request.
        await sleep(5);
      }
    }),
  );
  return [...statuses].map(([status, count]) => `${count} × ${status}`).join(", ");
}

/** The same body again and again, from so many callers. */
export async function repeated(
  attack: LockoutStage,
  options: {
    caller: Format;
    callers: number;
    credit: string;
    body: (model: string) => Sent["body"];
    path?: string;
    headers?: Record<string, string>;
  },
): Promise<string> {
  const { caller, callers, credit, body, path, headers = {} } = options;
  const { stage, model } = attack;
  const { secret } = await stage.makeKey("credit", credit);
  const written = body(model);
  // Written once: what is to be busy is the gateway.
  const bytes = Buffer.isBuffer(written)
    ? written
    : Buffer.from(typeof written === "string" ? written : JSON.stringify(written));
  const url = `${stage.gateway.url}${path ?? PATHS[caller]}`;
  return crowd(attack, callers, () => ask({ url, secret, body: bytes, headers }));
}

/** Connections that say so much and no more, until the attack ends. */
export async function hangOn(
  { stage, signal }: LockoutStage,
  count: number,
  opening: () => string | Buffer,
): Promise<string> {
  const port = Number(new URL(stage.gateway.url).port);
  const sockets: Socket[] = [];
  let closed = 0;
  for (let opened = 0; opened < count && !signal.aborted; opened += 1) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.on("data", () => undefined);
    socket.on("close", () => void (closed += 1));
    socket.write(opening());
    sockets.push(socket);
    if (opened % 50 === 49) await sleep(10);
  }
  await ended(signal);
  const open = sockets.length - closed;
  for (const socket of sockets) socket.destroy();
  return `${sockets.length} connections, ${open} still open at the end`;
}

export async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** A tenant that has never been seen before asks once, and must be served. `url`: by another gateway than the first. */
export async function serveNewcomer(
  { stage, model }: LockoutStage,
  caller: Format = "chat",
  url = stage.gateway.url,
): Promise<void> {
  const { secret } = await stage.makeKey("credit", "1");
  const body =
    caller === "responses"
      ? { model, input: "hello", max_output_tokens: 5 }
      : { model, max_tokens: 5, messages: [{ role: "user", content: "hello" }] };
  const { status, text } = await ask({ url: `${url}${PATHS[caller]}`, secret, body });
  if (status !== 200) throw new Error(`a new tenant got ${status} ${/"code":\s?"(\w+)"/.exec(text)?.[1] ?? ""}`);
}
