import type { ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import { createId, requestIdOf } from "../../core/ids.ts";
import type { ServeFile } from "../../core/served-file.ts";
import type { Events } from "../../telemetry/events.ts";
import { NOTHING_GENERATED } from "../public-route.ts";
import type { Router } from "../router.ts";

type Parts = { serveConsole: ServeFile; events: Pick<Events, "requestOpened">; clock: Clock };

/** GET /console and all below it: the key holder's console, for anyone. What it shows needs a session. */
export function getConsole(router: Router, { serveConsole, events, clock }: Parts): void {
  for (const path of ["/console", "/console/", "/console/*"]) {
    router.add("GET", path, ({ headers }, response, below) => {
      const requestId = requestIdOf(createId(clock.nowMs()));
      const log = events.requestOpened({ requestId, route: "console", dialect: null, method: "GET" });
      const asked = {
        path: below,
        acceptEncoding: headers["accept-encoding"]?.toString(),
        ifNoneMatch: headers["if-none-match"],
      };
      const bytesOut = send(response, serveConsole(asked), requestId);
      log.finished({ ...NOTHING_GENERATED, status: response.statusCode, bytesOut });
    });
  }
}

function send(response: ServerResponse, { status, headers, body }: ReturnType<ServeFile>, requestId: string): number {
  const length = status === 304 ? {} : { "content-length": body.length };
  response.writeHead(status, { ...headers, ...length, "x-request-id": requestId, "request-id": requestId });
  response.end(status === 304 ? undefined : body);
  return status === 304 ? 0 : body.length;
}
