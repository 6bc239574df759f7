import fc, { type Arbitrary } from "fast-check";
import { CREDIT_KEY_PLACE, type FuzzCase, ORDINARY, send, TOKEN_KEY_PLACE } from "./fuzz-case.ts";
import { MARKER_PLACE } from "./marker.ts";
import { type FuzzRoute, ROUTES } from "./routes.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "LINK", "QUERY", "M-SEARCH"];
const NOT_METHODS = ["get", "GETT", "PO ST", "\u0000", "", "CONNECT", "PRI", "🐫", "X".repeat(300)];

/** What may stand where a path is expected. */
const TARGETS = [
  "/",
  "*",
  "//",
  "/v1",
  "/v1/",
  "/v1/models/",
  "/v1/models/..",
  "/../v1/models",
  "/v1/./models",
  "/v1//models",
  "/%2e%2e/etc/passwd",
  "/v1%2fmodels",
  "/v1/%6dodels",
  "/V1/models",
  "/token",
  "/token/token/v1/models",
  "/v1/models;a=b",
  "/v1/models#top",
  "/v1/messages/",
  "/v1/messages/count_tokens/x",
  "/v1/messages/batches",
  `/v1/${MARKER_PLACE}`,
  `/v1/${"x".repeat(4_000)}`,
  "http://elsewhere/v1/models",
  "http://elsewhere:99999/",
  "elsewhere:443",
  "/metrics",
  "/admin",
  "/constructor",
  "/__proto__",
  "/openapi.json",
  "/docs",
];

const HEADERS = [
  "authorization: Bearer",
  `authorization: Bearer ${"x".repeat(3_000)}`,
  `authorization: Basic ${CREDIT_KEY_PLACE}`,
  `authorization: Bearer ${CREDIT_KEY_PLACE}`,
  `authorization: Bearer ${TOKEN_KEY_PLACE}`,
  `authorization: bearer   ${CREDIT_KEY_PLACE}`,
  `x-api-key: ${CREDIT_KEY_PLACE}`,
  `x-api-key: ${TOKEN_KEY_PLACE}`,
  "x-api-key:",
  "authorization: Bearer tgc_000",
  "authorization: Bearer \u00ff\u00fe",
  `idempotency-key: ${MARKER_PLACE}`,
  "idempotency-key:",
  `idempotency-key: ${"k".repeat(256)}`,
  "idempotency-key: \u00e9\u00ff",
  "compat-version: 2023-06-01",
  "compat-version: 2023-02-31",
  "compat-version: \u00e9",
  "anthropic-version: 2023-06-01",
  `anthropic-beta: ${"a,".repeat(500)}`,
  `x-request-id: ${MARKER_PLACE}`,
  "request-id: mine",
  "content-type: text/plain",
  "content-type: application/json; charset=utf-16",
  "content-encoding: gzip",
  "accept: nothing/at-all",
  "accept-encoding: br;q=9",
  "connection: upgrade",
  "upgrade: websocket",
  "upgrade: h2c",
  "http2-settings: AAMAAABkAAQAAP__",
  "expect: 100-continue",
  "expect: something-else",
  "te: trailers",
  "range: bytes=0-1",
  "if-none-match: *",
  "x-forwarded-for: 127.0.0.1",
  "x-forwarded-prefix: /token",
  "x-http-method-override: DELETE",
  "cookie: a=b",
  "host: elsewhere",
  "\u00e9: x",
  "x y: z",
  ": empty",
  "no-colon",
  "x-long: ".padEnd(9_000, "y"),
];

const method = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.constantFrom(...METHODS) },
  { weight: 1, arbitrary: fc.constantFrom(...NOT_METHODS) },
);
const target = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.constantFrom(...TARGETS) },
  { weight: 1, arbitrary: fc.webPath().map((path) => path || "/") },
);
const headers = fc.subarray(HEADERS, { maxLength: 2 });
const version = fc.oneof(
  { weight: 9, arbitrary: fc.constant("HTTP/1.1") },
  { weight: 2, arbitrary: fc.constantFrom("HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.10") },
);
const query = fc.constantFrom("", "", "", "?", "?beta=true", `?q=${MARKER_PLACE}`, "?%00", `?${"q".repeat(2_000)}`);

/** Mostly a credential that is right where the request goes; sometimes none, or that of the other origin. */
const credential = fc.constantFrom(
  { prefix: "", lines: [`authorization: Bearer ${CREDIT_KEY_PLACE}`] },
  { prefix: "", lines: [`authorization: Bearer ${CREDIT_KEY_PLACE}`] },
  { prefix: "/token", lines: [`authorization: Bearer ${TOKEN_KEY_PLACE}`] },
  { prefix: "/token", lines: [`authorization: Bearer ${CREDIT_KEY_PLACE}`] },
  { prefix: "", lines: [] },
);

/**
 * Odd heads over a body that is nearly always right. What is no HTTP is refused as such, or not answered at all; what is HTTP
 * gets an answer of the route it found, or 404, or 405.
 */
export const headCases: Arbitrary<FuzzCase> = fc
  .record({
    route: fc.constantFrom(...ROUTES),
    method,
    target,
    query,
    headers,
    version,
    credential,
    host: fc.constantFrom(1, 1, 1, 1, 1, 1, 0, 2),
  })
  .map(({ route, method: verb, target: aim, query: ask, headers: extra, version: spoken, credential: by, host }) => {
    const body = bodyOf(route);
    const lines = [
      `${verb ?? route.method} ${aim ?? by.prefix + route.path}${ask} ${spoken}`,
      ...Array<string>(host).fill("host: gateway"),
      ...by.lines,
      ...extra,
      ...(body === "" ? [] : ["content-type: application/json", `content-length: ${body.length}`]),
      "connection: close",
    ];
    return {
      lane: "head",
      route: aim === null && verb === null ? route.name : "elsewhere",
      steps: [send(Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`, "latin1"))],
      expects: {
        ...ORDINARY,
        statuses: [200, 304, 400, 401, 404, 405, 409, 431],
        // The path decides the format, and which path was found is the router's to say.
        format: null,
        silence: "allowed",
      },
      connection: "fresh",
    };
  });

function bodyOf(route: FuzzRoute): string {
  if (route.schema === null) return "";
  const input =
    route.name === "responses" ? { input: MARKER_PLACE } : { messages: [{ role: "user", content: MARKER_PLACE }] };
  return JSON.stringify({ model: route.model, ...input });
}
