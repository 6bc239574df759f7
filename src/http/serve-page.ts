import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "../core/clock.ts";
import { createId, requestIdOf } from "../core/ids.ts";
import { KEY_MODES, ORIGIN_PREFIX } from "../core/key-mode.ts";
import type { Events } from "../telemetry/events.ts";
import { NOTHING_GENERATED } from "./public-route.ts";
import type { Router } from "./router.ts";

/** Text that is the same for everyone who comes by this base URL. */
type PageText = { text: string; headers: Record<string, string> };
type MakePage = (publicUrl: string) => PageText;

export type ServePage = (router: Router, path: string, make: MakePage) => void;

type Parts = { publicUrl: () => string; events: Pick<Events, "requestOpened">; clock: Clock };

/** Short enough that an upgrade is seen soon. */
const CACHE_CONTROL = "public, max-age=300";

/** Pages for anyone, at both origins. No credential is looked at, so none can be refused, and nothing is waited for. */
export const createServePage =
  ({ publicUrl, events, clock }: Parts): ServePage =>
  (router, path, make) => {
    const page = keepPage(publicUrl, make);
    for (const origin of KEY_MODES) {
      router.add("GET", `${ORIGIN_PREFIX[origin]}${path}`, (request, response) => {
        const requestId = requestIdOf(createId(clock.nowMs()));
        const log = events.requestOpened({ requestId, route: "description", dialect: null, method: "GET" });
        const { body, headers, etag } = page();
        const known = hasTag(request, etag);
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
function keepPage(publicUrl: () => string, make: MakePage) {
  let url = publicUrl();
  let page = bytesOf(make(url));
  return () => {
    if (url === publicUrl()) return page;
    url = publicUrl();
    page = bytesOf(make(url));
    return page;
  };
}

function bytesOf({ text, headers }: PageText) {
  const body = Buffer.from(text);
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return {
    body,
    etag,
    headers: { ...headers, etag, "cache-control": CACHE_CONTROL, "x-content-type-options": "nosniff" },
  };
}

/** Whether the reader already has it. A weak tag is as good as a strong one here. */
function hasTag({ headers }: IncomingMessage, etag: string): boolean {
  const given = headers["if-none-match"]?.split(",") ?? [];
  return given.some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
}
