import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "../core/clock.ts";
import { createControl } from "./control.ts";
import { DIALECTS } from "./dialects.ts";
import { createGate } from "./send/gate.ts";
import { createGenerate } from "./generate.ts";
import { createReadRecording } from "./plan/recordings.ts";
import { Refusal } from "./ask/refusal.ts";
import { findRoute } from "./routes.ts";
import { createServeCall } from "./serve-call.ts";
import { createWitness, type Witness } from "./witness.ts";

export type SimulatorOptions = {
  port?: number;
  host?: string;
  /** Holds a folder per dialect; without it nothing can be replayed. */
  recordingsFolder?: string;
  clock?: Clock;
  witnessLimit?: number;
};

/** A provider on this machine. The base URL is `<url>/v1`, and that of Gemini `<url>/v1beta`. */
export type Simulator = {
  url: string;
  witness: Witness;
  /** Lets one paused call go on, or all of them. */
  release: (callId?: string) => void;
  close: () => Promise<void>;
};

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const {
    port = 0,
    host = "127.0.0.1",
    clock = systemClock,
    recordingsFolder = null,
    witnessLimit = 100_000,
  } = options;
  const witness = createWitness({ limit: witnessLimit });
  const gate = createGate();
  const control = createControl({ witness, gate });
  const generate = createGenerate({ readRecording: createReadRecording(recordingsFolder), clock });
  const serveCall = createServeCall({ generate, witness, gate, clock });

  const server = createServer({ keepAliveTimeout: 65_000, requestTimeout: 0, noDelay: true }, (request, response) => {
    const [path = "/", query = ""] = (request.url ?? "/").split("?", 2);
    const route = findRoute(request.method ?? "", path, query);
    if (route) void serveCall(route, request, response);
    else if (path.startsWith("/sim/")) control(request, response).catch(() => response.destroy());
    else refuseUnknown(request, response);
  });
  await listen(server, port, host);

  const { address, family, port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`,
    witness,
    release: (callId) => void gate.release(callId),
    close: () => close(server),
  };
}

function refuseUnknown({ method, url }: IncomingMessage, response: ServerResponse): void {
  const refusal = new Refusal(404, `Unknown request URL: ${method} ${url}`, { code: "unknown_url" });
  response.writeHead(404, { "content-type": "application/json" });
  response.end(DIALECTS.chat.refuse(refusal, ""));
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: 4096 }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Open streams are cut: a provider that goes down does not wait for its callers. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
