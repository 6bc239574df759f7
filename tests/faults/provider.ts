import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { type CertificateFiles, readPair } from "./certificates.ts";

export type Provider = {
  port: number;
  /** The share of calls that fail, from 0 to 1, and how many times slower than usual it is. */
  mood: { failing: number; slowness: number };
  calls: () => number;
  /** With TLS: shows another certificate from now on. */
  show: (files: CertificateFiles) => void;
  /** Cuts every connection, as a restart does. */
  cut: () => void;
  close: () => void;
};

const FIRST_TOKEN_MS = 300;
const TOKEN_MS = 30;
const TOKENS = 10;
const USAGE = { prompt_tokens: 10, completion_tokens: TOKENS, total_tokens: 10 + TOKENS };

/** A provider of chat, on this machine, whose usual request takes 0.6 s. */
export async function startProvider(files: CertificateFiles | null): Promise<Provider> {
  const mood = { failing: 0, slowness: 1 };
  let calls = 0;
  const listener: RequestListener = (request, response) => {
    response.on("error", () => undefined);
    void readText(request)
      .then(async (body) => {
        if (request.method === "GET") return say(response, 200, { object: "list", data: [] });
        calls += 1;
        // Every second of two, and not by chance: it never fails five times in a row.
        if (mood.failing > 0 && Math.floor(calls * mood.failing) > Math.floor((calls - 1) * mood.failing))
          return say(response, 500, { error: { message: "no", type: "server_error" } });
        await sleep(FIRST_TOKEN_MS * mood.slowness);
        return body.includes('"stream":true') ? stream(response, mood) : whole(response, mood);
      })
      .catch(() => response.destroy());
  };
  const secure = files === null ? null : createTlsServer(readPair(files), listener);
  const server = secure ?? createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    mood,
    calls: () => calls,
    show: (others) => secure?.setSecureContext(readPair(others)),
    cut: () => server.closeAllConnections(),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const say = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

const head = { id: "chatcmpl-1", created: 1, model: "m" };

async function whole(response: ServerResponse, { slowness }: Provider["mood"]): Promise<void> {
  await sleep(TOKENS * TOKEN_MS * slowness);
  const message = { role: "assistant", content: "word ".repeat(TOKENS) };
  say(response, 200, {
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: USAGE,
  });
}

async function stream(response: ServerResponse, mood: Provider["mood"]): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = (more: object): void =>
    void response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...more })}\n\n`);
  for (let token = 0; token < TOKENS; token += 1) {
    chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "word " }, finish_reason: null }] });
    await sleep(TOKEN_MS * mood.slowness);
  }
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  chunk({ choices: [], usage: USAGE });
  response.end("data: [DONE]\n\n");
}
