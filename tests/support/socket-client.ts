import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";

export type SocketEvent = { type: string } & Record<string, unknown>;

export type SocketClient = {
  ws: WebSocket;
  send: (message: object | string) => void;
  /** Events up to and with the one that ends a response, or refuses it. */
  response: () => Promise<SocketEvent[]>;
  next: () => Promise<SocketEvent>;
  closed: Promise<{ code: number; reason: string }>;
};

type Open = { url: string; key?: string; path?: string; headers?: Record<string, string>; certificate?: Buffer };

const ENDINGS = new Set(["response.completed", "response.incomplete", "response.failed", "error"]);

/** A client of responses over WebSocket. Rejects with the status when the handshake is refused. */
export async function openSocket({
  url,
  key,
  path = "/v1/responses",
  headers = {},
  certificate,
}: Open): Promise<SocketClient> {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const ws = new WebSocket(`${url.replace(/^http/, "ws")}${path}`, {
    headers: { ...authorization, ...headers },
    ...(certificate && { ca: certificate }),
  });
  const queue: SocketEvent[] = [];
  let wake: (() => void) | null = null;
  let ended = false;
  ws.on("message", (data: Buffer) => {
    queue.push(JSON.parse(data.toString()) as SocketEvent);
    wake?.();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    ws.once("close", (code, reason) => {
      ended = true;
      wake?.();
      resolve({ code, reason: reason.toString() });
    }),
  );
  const refused = new Promise<never>((_, reject) => {
    ws.once("unexpected-response", (_request, response) => void readRefusal(response).then(reject));
    ws.once("error", reject);
  });
  refused.catch(() => undefined);
  await Promise.race([once(ws, "open"), refused]);
  ws.on("error", () => undefined);

  async function next(): Promise<SocketEvent> {
    for (;;) {
      const event = queue.shift();
      if (event !== undefined) return event;
      if (ended) throw new Error("the socket is closed");
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  return {
    ws,
    closed,
    next,
    send: (message) => ws.send(typeof message === "string" ? message : JSON.stringify(message)),
    response: async () => {
      const events: SocketEvent[] = [];
      for (;;) {
        const event = await next();
        events.push(event);
        if (ENDINGS.has(event.type)) return events;
      }
    },
  };
}

/** A handshake that was answered with something else than a socket. */
export class HandshakeRefused extends Error {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;

  constructor(status: number, headers: IncomingMessage["headers"], body: string) {
    super(`the handshake was refused: ${status}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

async function readRefusal(response: IncomingMessage): Promise<HandshakeRefused> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return new HandshakeRefused(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString());
}

/** The smallest message that asks for a response. */
export const create = (model: string, fields: object = {}): object => ({
  type: "response.create",
  model,
  input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }],
  ...fields,
});
