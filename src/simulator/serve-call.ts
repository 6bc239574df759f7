import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../core/clock.ts";
import { createId } from "../core/ids.ts";
import { digestOfCredential, headersWithoutCredentials, pathWithoutCredential } from "./ask/credential.ts";
import type { Ask, Dialect, JsonObject, Named } from "./dialect.ts";
import type { Gate } from "./send/gate.ts";
import type { Generate } from "./generate.ts";
import { Outlet } from "./send/outlet.ts";
import { readBody } from "./ask/read-body.ts";
import { isObject } from "../core/bytes/is-object.ts";
import { LONGEST_MODEL_NAME } from "./ask/read-field.ts";
import { invalid, Refusal } from "./ask/refusal.ts";
import type { WitnessLog } from "./witness.ts";

export type Operation = "generate" | "count" | "embed" | "models";
/** `named` is what the path says of the call, in dialects that say it there. */
export type Route = { path: string; dialect: Dialect; operation: Operation; named?: Named };
export type ServeCall = (route: Route, request: IncomingMessage, response: ServerResponse) => Promise<void>;

type Parts = { generate: Generate; witness: WitnessLog; gate: Gate; clock: Clock };

/** A longer query is not worth the witness's memory. */
const LONGEST_KEPT_PATH = 512;

/** One call from its first byte to its last, with the witness looking on. */
export function createServeCall({ generate, witness, gate, clock }: Parts): ServeCall {
  return async ({ path: routePath, dialect, operation, named }, request, response) => {
    const receivedAtMs = clock.nowMs();
    const callId = createId(receivedAtMs);
    const id = callId.replaceAll("-", "");
    const credentialDigest = digestOfCredential(request, dialect);
    const headers = headersWithoutCredentials(request);
    const asked = request.url && request.url.length <= LONGEST_KEPT_PATH ? request.url : routePath;
    const path = pathWithoutCredential(asked, dialect);
    const call = witness.open({ callId, dialect: dialect.name, path, receivedAtMs, headers, credentialDigest });
    const answerHeaders = { "x-sim-call-id": callId, [dialect.requestIdHeader]: `req_${id}` };
    const outlet = new Outlet({ response, call, headers: answerHeaders, witness, gate, clock });
    witness.changed(call);

    try {
      if (credentialDigest === null)
        throw new Refusal(401, `A credential is required (${dialect.credentialHeaders.join(" or ")}).`);
      if (operation === "models") return sendJson(outlet, dialect.models?.(named, headers) ?? "");
      const bytes = await readBody(request);
      if (bytes === null) return;
      call.requestBytes = bytes.length;
      const body = parseObject(bytes);
      const model = named?.model ?? body["model"];
      if (typeof model === "string" && model.length <= LONGEST_MODEL_NAME) call.model = model;
      witness.keepBody(call, body);
      witness.changed(call);
      dialect.requireHeaders?.(headers);
      const ask = readerOf(dialect, operation)(body, named);
      await generate({ dialect, ask, id, header: headers["x-sim-script"] ?? "", outlet, operation });
    } catch (error) {
      refuse(
        outlet,
        dialect,
        error instanceof Refusal ? error : new Refusal(500, `The simulator is broken: ${String(error)}`),
        `req_${id}`,
      );
    }
  };
}

function readerOf({ read, count, embed }: Dialect, operation: Operation): (body: JsonObject, named?: Named) => Ask {
  if (operation === "embed" && embed) return embed.read;
  return operation === "count" && count ? count.read : read;
}

function parseObject(bytes: Buffer): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw invalid("The body is not valid JSON.");
  }
  if (!isObject(value)) throw invalid("The body must be a JSON object.");
  return value;
}

function sendJson(outlet: Outlet, text: string): void {
  outlet.begin(200, { "content-type": "application/json" });
  outlet.end(text);
}

function refuse(outlet: Outlet, dialect: Dialect, refusal: Refusal, requestId: string): void {
  if (!outlet.open) return;
  if (outlet.call.status !== null) return outlet.reset();
  const { retryAfterSeconds } = refusal;
  outlet.begin(refusal.status, {
    "content-type": "application/json",
    ...dialect.refusalHeaders?.(refusal),
    ...(retryAfterSeconds !== null && dialect.retryIn !== "body" && { "retry-after": String(retryAfterSeconds) }),
  });
  outlet.fail(dialect.refuse(refusal, requestId));
}
