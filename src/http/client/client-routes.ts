import { checksumOf } from "../../core/people/client-settings.ts";
import { Fault } from "../../core/fault.ts";
import type { Json } from "../../core/bytes/json.ts";
import type { ShowClientUsage } from "../../gateway/client/show-client-usage.ts";
import type { ForwardTelemetry } from "../../gateway/client/forward-telemetry.ts";
import { renderFormatA } from "../../wire/errors/format-a.ts";
import { NOTHING_GENERATED, type PublicRoute } from "../public-route.ts";
import { sendJson } from "../write/send-json.ts";
import { CLIENT_ROUTE, sessionOf } from "./client-route.ts";
import type { ReadTelemetry } from "./read-telemetry.ts";

export type ClientRouteParts = {
  /** The settings that the operator set for a person's groups; null: none. */
  settingsOf: (personId: string) => Promise<Json | null>;
  showClientUsage: ShowClientUsage;
  readTelemetry: ReadTelemetry;
  forwardTelemetry: ForwardTelemetry;
};

/** GET /managed/settings: clients read it at every start, and again every hour. */
const managedSettings = ({ settingsOf }: ClientRouteParts): PublicRoute => ({
  ...CLIENT_ROUTE,
  method: "GET",
  path: "/managed/settings",
  work: async (exchange) => {
    const { request, response, context } = exchange;
    const { requestId } = context;
    const settings = await settingsOf(sessionOf(exchange).personId);
    if (settings === null) throw new Fault("not_found", "No settings are managed for you.");
    const checksum = checksumOf(settings);
    const headers = { etag: `"${checksum}"`, "cache-control": "private, no-cache", vary: "authorization" };
    if (isKnown(request.headers["if-none-match"], headers.etag)) {
      response.writeHead(304, { ...headers, "x-request-id": requestId, "request-id": requestId });
      response.end();
      return { ...NOTHING_GENERATED, status: 304 };
    }
    const bytesOut = sendJson(response, { requestId, value: { uuid: checksum, checksum, settings }, headers });
    return { ...NOTHING_GENERATED, status: 200, bytesOut };
  },
});

/** A client that asks with `*` wants the document: it holds none. */
const isKnown = (given: string | undefined, etag: string): boolean =>
  (given?.split(",") ?? []).some((tag) => tag.trim().replace(/^W\//, "") === etag);

/** GET /api/oauth/usage */
const usage = ({ showClientUsage }: ClientRouteParts): PublicRoute => ({
  ...CLIENT_ROUTE,
  method: "GET",
  path: "/api/oauth/usage",
  work: async (exchange) => {
    const value = await showClientUsage(sessionOf(exchange));
    const { requestId } = exchange.context;
    const bytesOut = sendJson(exchange.response, { requestId, value, headers: { "cache-control": "no-store" } });
    return { ...NOTHING_GENERATED, status: 200, bytesOut };
  },
});

const SIGNALS = ["metrics", "logs", "traces"] as const;

/** POST /v1/metrics, /v1/logs and /v1/traces: what a client tells about itself. It is answered with 200 whatever becomes of it. */
const telemetry = (
  { readTelemetry, forwardTelemetry }: ClientRouteParts,
  signal: (typeof SIGNALS)[number],
): PublicRoute => ({
  ...CLIENT_ROUTE,
  method: "POST",
  path: `/v1/${signal}`,
  render: renderFormatA,
  work: async (exchange) => {
    sessionOf(exchange);
    const told = await readTelemetry(exchange);
    if (told !== null) forwardTelemetry(signal, told);
    const bytesOut = sendJson(exchange.response, { requestId: exchange.context.requestId, value: {} });
    return { ...NOTHING_GENERATED, status: 200, bytesOut };
  },
});

export const clientRoutes = (parts: ClientRouteParts): readonly PublicRoute[] => [
  managedSettings(parts),
  usage(parts),
  ...SIGNALS.map((signal) => telemetry(parts, signal)),
];
