import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { AskCloud } from "../../../src/credentials/ambient/ambient.ts";

/** A question as it arrived, read as far as the clouds read it. */
export type Asked = {
  method: string;
  /** The host that was meant; `loopback` when the server itself was named. */
  host: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: string;
};

/** `frozen`: the connection stays open, and nothing comes. */
export type Told = { status: number; headers?: Record<string, string>; body: unknown } | "frozen";

export type LoopbackCloud = {
  origin: string;
  asked: Asked[];
  ask: AskCloud;
  /** Where a question for that address really goes. */
  leadTo: (url: string) => string;
  /** Settles once a question has arrived that stays without an answer. */
  frozen: Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

const MEANT = /^\/at\/([^/]+)(\/.*)$/;

/** A server on loopback that stands for every host of a cloud. */
export async function startCloud(answer: (asked: Asked) => Told): Promise<LoopbackCloud> {
  const asked: Asked[] = [];
  const { promise: frozen, resolve: froze } = Promise.withResolvers<void>();
  const server = createServer((incoming, response) => {
    void read(incoming).then((question) => {
      asked.push(question);
      const told = answer(question);
      if (told === "frozen") return froze();
      send(response, told);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const leadTo = (url: string): string => {
    const { origin: meant, host, pathname, search } = new URL(url);
    return meant === origin ? url : `${origin}/at/${encodeURIComponent(host)}${pathname}${search}`;
  };
  return {
    origin,
    asked,
    leadTo,
    frozen,
    ask: (question) => askThere({ ...question, url: leadTo(question.url) }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function read(incoming: IncomingMessage): Promise<Asked> {
  const [, meant, path] = MEANT.exec(incoming.url ?? "") ?? [];
  const { pathname, searchParams } = new URL(path ?? incoming.url ?? "", "http://loopback");
  return {
    method: incoming.method ?? "",
    host: meant === undefined ? "loopback" : decodeURIComponent(meant),
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    body: await text(incoming),
  };
}

function send(response: ServerResponse, { status, headers = {}, body }: Exclude<Told, "frozen">): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** One exchange of `node:http`, which follows no redirect. */
const askThere: AskCloud = ({ url, method, headers, body, timeoutMs = 10_000, signal }) =>
  new Promise((resolve, reject) => {
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const sent = request(url, { method, headers, signal: until }, (incoming) => {
      text(incoming).then((answer) => {
        const entries = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
        resolve({ status: incoming.statusCode ?? 0, headers: Object.fromEntries(entries), text: answer });
      }, reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
