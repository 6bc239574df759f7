import type { Clock } from "../core/clock.ts";
import { createId, requestIdOf } from "../core/ids.ts";
import { KEY_MODES, ORIGIN_PREFIX } from "../core/key-mode.ts";
import type { Address } from "../openapi/page/docs-page.ts";
import { hasPage, type PublishedPage } from "../openapi/page/published.ts";
import type { Events } from "../telemetry/events.ts";
import { NOTHING_GENERATED } from "./public-route.ts";
import type { Router } from "./router.ts";

type MakePage = (publicUrl: string, address: Address) => PublishedPage;

export type ServePage = (router: Router, path: string, make: MakePage) => void;

type Parts = { publicUrl: () => string; address: Address; events: Pick<Events, "requestOpened">; clock: Clock };

/** Pages for anyone, at both origins. No credential is looked at, so none can be refused, and nothing is waited for. */
export const createServePage =
  ({ publicUrl, address, events, clock }: Parts): ServePage =>
  (router, path, make) => {
    const page = keepPage(publicUrl, (url) => make(url, address));
    for (const origin of KEY_MODES) {
      router.add("GET", `${ORIGIN_PREFIX[origin]}${path}`, (request, response) => {
        const requestId = requestIdOf(createId(clock.nowMs()));
        const log = events.requestOpened({ requestId, route: "description", dialect: null, method: "GET" });
        const current = page();
        const { body, headers } = current;
        const known = hasPage(request.headers["if-none-match"], current);
        const status = known ? 304 : 200;
        response.writeHead(status, {
          ...headers,
          ...(known ? {} : { "content-length": body.length }),
          "x-request-id": requestId,
          "request-id": requestId,
        });
        response.end(known ? undefined : body);
        log.finished({ ...NOTHING_GENERATED, status, bytesOut: known ? 0 : body.length });
      });
    }
  };

/** Made at once, so that no caller waits for it, and again only if the base URL turns out to be another: a port may be known last. */
function keepPage(publicUrl: () => string, make: (url: string) => PublishedPage) {
  let url = publicUrl();
  let page = make(url);
  return () => {
    if (url === publicUrl()) return page;
    url = publicUrl();
    page = make(url);
    return page;
  };
}
