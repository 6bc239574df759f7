import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import type { Address, ReadDescription } from "../../core/description.ts";
import { Fault } from "../../core/fault.ts";
import { createId, requestIdOf } from "../../core/ids.ts";
import { KEY_MODES, ORIGIN_PREFIX } from "../../core/people/key-mode.ts";
import { keepPages } from "../../description/keep-pages.ts";
import { hasPage, type PublishedPage } from "../../description/published.ts";
import type { Events } from "../../telemetry/events.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import { NOTHING_GENERATED } from "../public-route.ts";
import { refuse } from "../write/refuse.ts";
import type { Router } from "../router.ts";

export type ServePage = (router: Router, path: string, as: "document" | "page") => void;

type Parts = {
  publicUrl: () => string;
  address: Address;
  readDescription: ReadDescription;
  events: Pick<Events, "requestOpened" | "bug">;
  clock: Clock;
};

/** Pages for anyone, at both origins. No credential is looked at, so none can be refused. */
export function createServePage({ publicUrl, address, readDescription, events, clock }: Parts): ServePage {
  const pageOf = keepPages(readDescription);
  return (router, path, as) => {
    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const requestId = requestIdOf(createId(clock.nowMs()));
      const log = events.requestOpened({ requestId, route: "description", dialect: null, method: "GET" });
      try {
        const sent = send(
          request,
          response,
          await pageOf({ listener: "public", as, publicUrl: publicUrl(), address }),
          requestId,
        );
        log.finished({ ...NOTHING_GENERATED, ...sent });
      } catch (error) {
        events.bug(error, requestId);
        const fault = new Fault("internal_error", "The description could not be written. Try again.");
        const status = refuse({ request, response, fault, render: renderFormatA, requestId });
        log.finished({ ...NOTHING_GENERATED, status, bytesOut: 0 });
      }
    };
    for (const origin of KEY_MODES) {
      router.add("GET", `${ORIGIN_PREFIX[origin]}${path}`, (request, response) => void serve(request, response));
    }
  };
}

function send(request: IncomingMessage, response: ServerResponse, page: PublishedPage, requestId: string) {
  const isKnown = hasPage(request.headers["if-none-match"], page);
  const status = isKnown ? 304 : 200;
  response.writeHead(status, {
    ...page.headers,
    ...(isKnown ? {} : { "content-length": page.body.length }),
    "x-request-id": requestId,
    "request-id": requestId,
  });
  response.end(isKnown ? undefined : page.body);
  return { status, bytesOut: isKnown ? 0 : page.body.length };
}
