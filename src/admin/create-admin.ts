import Fastify, { type FastifyInstance } from "fastify";
import type { CatalogueStore } from "../catalogue/model.ts";
import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import { createId, requestIdOf } from "../core/ids.ts";
import type { ManageKeys } from "../keys/manage-keys.ts";
import type { ShowJournal } from "../ledger/journal.ts";
import type { ManageFunds } from "../ledger/manage-funds.ts";
import type { ReportUsage } from "../ledger/usage-report.ts";
import type { VerifyLedger } from "../ledger/verify.ts";
import type { Events } from "../telemetry/events.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { RouteReport } from "../upstream/route-record.ts";
import { requireOperator } from "./operator-credential.ts";
import type { ProviderTools } from "./provider-tools.ts";
import { databaseAway, isBug, renderRefusal } from "./refusal.ts";
import { addCatalogueRoutes } from "./routes/catalogue.ts";
import { addFundsRoutes } from "./routes/funds.ts";
import { addHealthRoutes } from "./routes/health.ts";
import { addKeyRoutes } from "./routes/keys.ts";
import { addLedgerRoutes } from "./routes/ledger.ts";
import { addModelRoutes } from "./routes/models.ts";
import { addProviderRoutes } from "./routes/providers.ts";

type Parts = {
  token: string;
  control: {
    keys: ManageKeys;
    funds: ManageFunds;
    showJournal: ShowJournal;
    verifyLedger: VerifyLedger;
    reportUsage: ReportUsage;
    catalogue: CatalogueStore;
  };
  providerTools: ProviderTools;
  /** What this process knows of the routes it used. */
  reportRoutes: () => readonly RouteReport[];
  metrics: Pick<Metrics, "expose">;
  events: Events;
  readiness: () => Promise<string[]>;
  /** Whether an error says that the database is away or overwhelmed, which is no bug. */
  isDatabaseAway: (error: unknown) => boolean;
  clock: Clock;
};

const MAX_BODY_BYTES = 1_048_576;
/** The id of a model has 200 characters at most, and each may be escaped into three. */
const MAX_PARAMETER_CHARACTERS = 600;

/** The operators' listener: everything operational is here and nothing of it on the public one. [decision 35] */
export function createAdmin({
  token,
  control,
  providerTools,
  reportRoutes,
  metrics,
  events,
  readiness,
  isDatabaseAway,
  clock,
}: Parts): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_PARAMETER_CHARACTERS },
    genReqId: () => requestIdOf(createId(clock.nowMs())),
    http: { headersTimeout: 10_000 },
    requestTimeout: 30_000,
  });

  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    if (request.routeOptions.url !== "/livez" && request.routeOptions.url !== "/readyz") {
      requireOperator(request.headers.authorization, token);
    }
  });
  app.addHook("preHandler", async ({ params }) => {
    // PostgreSQL keeps every character but one, so nothing there has such a name.
    if (Object.values(params as Record<string, string>).some((name) => name.includes("\0"))) {
      throw new Fault("not_found", "There is nothing of this name.");
    }
  });
  app.setErrorHandler((error, request, reply) => {
    const isAway = isDatabaseAway(error);
    if (isAway) events.adminRequestFailed(error, request.id);
    else if (isBug(error)) events.bug(error, request.id);
    const { status, headers, body } = renderRefusal(isAway ? databaseAway(error) : error, request.id);
    return reply.code(status).headers(headers).type("application/json").send(body);
  });
  app.setNotFoundHandler(() => {
    throw new Fault("not_found", "There is nothing at this path of the admin API.");
  });

  app.get("/livez", () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const reasons = await readiness();
    return reply
      .code(reasons.length === 0 ? 200 : 503)
      .send({ status: reasons.length === 0 ? "ok" : "unavailable", reasons });
  });
  app.get("/metrics", async (_request, reply) => {
    const { contentType, text } = await metrics.expose();
    return reply.type(contentType).send(text);
  });
  addKeyRoutes(app, { keys: control.keys, events });
  addFundsRoutes(app, control);
  addLedgerRoutes(app, control);
  const { catalogue } = control;
  addProviderRoutes(app, { catalogue, providerTools, events });
  addModelRoutes(app, { catalogue, events, clock });
  addCatalogueRoutes(app, { catalogue, events });
  addHealthRoutes(app, { reportRoutes });
  return app;
}
