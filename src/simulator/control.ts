import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Gate } from "./send/gate.ts";
import { readBody } from "./ask/read-body.ts";
import { isObject } from "../core/bytes/is-object.ts";
import type { Call, Witness } from "./witness.ts";

type ControlParts = { witness: Witness; gate: Gate };

export type Control = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The routes under /sim: what the tests say to the provider behind the gateway's back. */
export function createControl({ witness, gate }: ControlParts): Control {
  const actions: Record<string, Control> = {
    "GET /sim/witness": async (request, response) => {
      const since = new URL(request.url ?? "/", "http://simulator").searchParams.get("since") ?? "0";
      if (!/^\d{1,15}$/.test(since)) return answer(response, 400, { error: "since must be a sequence number" });
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      // A reader that leaves early is no failure of ours.
      await pipeline(Readable.from(lines(witness.calls(Number(since)))), response).catch(() => undefined);
    },
    "POST /sim/release": async (request, response) => {
      const callId = callIdOf(await readBody(request));
      if (callId === null) return answer(response, 400, { error: "the body must be empty or {callId: string}" });
      answer(response, 200, { released: gate.release(callId) });
    },
    "POST /sim/reset": async (_request, response) => {
      witness.reset();
      answer(response, 200, { released: gate.release() });
    },
  };

  return async (request, response) => {
    const path = (request.url ?? "/").split("?", 1)[0];
    const action = actions[`${request.method} ${path}`];
    if (!action) return answer(response, 404, { error: "no such control route" });
    await action(request, response);
  };
}

function* lines(calls: readonly Call[]): Generator<string> {
  for (const call of calls) yield `${JSON.stringify(call)}\n`;
}

/** Undefined for all calls, null for a body that makes no sense. */
function callIdOf(body: Buffer | null): string | undefined | null {
  if (!body || body.length === 0) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString());
    if (!isObject(value)) return null;
    const { callId } = value;
    return callId === undefined || typeof callId === "string" ? callId : null;
  } catch {
    return null;
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
