import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { AskCloud } from "../../../src/credentials/ambient/ambient.ts";

export type CloudRequest = { method: string; url: string; headers: Record<string, string>; body: string };
/** `null`: no answer ever comes. */
export type CloudAnswer = { status?: number; headers?: Record<string, string>; body: string } | null;

export type AwsCloud = {
  origin: string;
  requests: CloudRequest[];
  /** Settles when a request has come that gets no answer. */
  frozen: Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

const LARGEST_ANSWER_BYTES = 65_536;

export async function startAwsCloud(answer: (request: CloudRequest) => CloudAnswer): Promise<AwsCloud> {
  const requests: CloudRequest[] = [];
  const frozen = Promise.withResolvers<void>();
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then((question) => {
      requests.push(question);
      const given = answer(question);
      if (given === null) frozen.resolve();
      else response.writeHead(given.status ?? 200, given.headers ?? {}).end(given.body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    frozen: frozen.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<CloudRequest> {
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: incoming.method ?? "",
    url: incoming.url ?? "",
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: (await buffer(incoming)).toString(),
  };
}

/**
 * Asks as `AmbientSources` promises: no redirect, no proxy, 64 KiB. What is for one of the named origins is sent to the other, with
 * the host that was meant.
 */
export const askAwsCloud =
  (instead: Readonly<Record<string, string>> = {}): AskCloud =>
  ({ url, method, headers, body, timeoutMs = 10_000, signal }) =>
    new Promise((resolve, reject) => {
      const { origin, host, pathname, search } = new URL(url);
      const options = {
        method,
        headers: { host, ...headers },
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      };
      const sent = request(`${instead[origin] ?? origin}${pathname}${search}`, options, (incoming) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        incoming.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > LARGEST_ANSWER_BYTES)
            incoming.destroy(new Error(`too large: ${Buffer.concat(chunks).toString()}`));
        });
        incoming.on("error", reject);
        incoming.on("end", () => {
          const given = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: incoming.statusCode ?? 0,
            headers: Object.fromEntries(given) as Record<string, string>,
            text,
          });
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
