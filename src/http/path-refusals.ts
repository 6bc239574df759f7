import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import { createId, requestIdOf } from "../core/ids.ts";
import { renderFormatA } from "../wire/errors/format-a.ts";
import { renderFormatB } from "../wire/errors/format-b.ts";
import { refuse } from "./write/refuse.ts";
import { asksForSocket, originOf } from "./socket/handshake.ts";
import { socketsOff, unknownPath, wrongMethod } from "./serve/unknown-path.ts";

/** Unknown paths and wrong methods are refused in the format of the path they come closest to. [interface decision 26] */
export function createPathRefusals(clock: Clock) {
  const send = (request: IncomingMessage, response: ServerResponse, path: string, fault: Fault): void => {
    const render = path.includes("/v1/messages") ? renderFormatB : renderFormatA;
    refuse({ request, response, fault, render, requestId: requestIdOf(createId(clock.nowMs())) });
  };
  return {
    noHost: (request: IncomingMessage, response: ServerResponse): void =>
      send(request, response, request.url ?? "", new Fault("invalid_request", "Send exactly one Host header.")),
    notFound: (request: IncomingMessage, response: ServerResponse, path: string, nearest: string | null): void =>
      send(request, response, path, unknownPath(path, nearest)),
    methodNotAllowed: (
      request: IncomingMessage,
      response: ServerResponse,
      path: string,
      allowed: readonly string[],
    ): void => {
      if (asksForSocket(request) && originOf(request) !== null) {
        response.setHeader("upgrade", "websocket");
        response.setHeader("connection", "upgrade");
        send(request, response, path, socketsOff());
        return;
      }
      response.setHeader("allow", allowed.join(", "));
      send(request, response, path, wrongMethod(path, request.method ?? "", allowed));
    },
  };
}
