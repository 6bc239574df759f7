import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { NOTHING_GENERATED } from "../public-route.ts";
import { STYLE } from "./page-style.ts";

/**
 * The style is allowed by its hash and nothing else is loaded or run. No other site shows the page in a frame or learns its address.
 * `formAction`: browsers hold the way that a form leads to against it, redirects included.
 */
export const pageHeaders = (formAction: string): Record<string, string> => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join("; "),
  "cache-control": "no-store",
  // Without a referrer of its own a browser would not name the origin of a form either.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
});

type Sent = { requestId: string; html: string; status?: number; formAction?: string; cookie?: string };

/** Sends a page with the ids every response carries; returns its size. */
export function sendPage(response: ServerResponse, sent: Sent): number {
  const { requestId, html, status = 200, formAction = "'self'", cookie } = sent;
  const body = Buffer.from(html);
  response.writeHead(status, {
    ...pageHeaders(formAction),
    ...(cookie !== undefined && { "set-cookie": cookie }),
    "content-length": body.length,
    "x-request-id": requestId,
    "request-id": requestId,
  });
  response.end(body);
  return body.length;
}

type SentAway = { requestId: string; url: string; cookies: readonly string[] };

/** Sends a browser elsewhere, which does not learn from where. */
export function sendAway(response: ServerResponse, { requestId, url, cookies }: SentAway) {
  response.writeHead(303, {
    location: url,
    "set-cookie": [...cookies],
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-length": 0,
    "x-request-id": requestId,
    "request-id": requestId,
  });
  response.end();
  return { ...NOTHING_GENERATED, status: 303 };
}
