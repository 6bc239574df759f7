import type { FastifyInstance } from "fastify";
import type { CatalogueStore } from "../catalogue/model.ts";
import type { ManageKeys } from "../keys/manage-keys.ts";
import type { ShowJournal } from "../ledger/journal.ts";
import type { ManageFunds } from "../ledger/manage-funds.ts";
import type { ManageQuarantine } from "../ledger/quarantine.ts";
import type { ReportUsage } from "../ledger/usage-report.ts";
import type { VerifyLedger } from "../ledger/verify.ts";
import type { Events } from "../telemetry/events.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { RouteReport } from "../upstream/route-record.ts";
import { type AdminDoor, openAdminDoor } from "./admin-door.ts";
import type { ProviderTools } from "./provider-tools.ts";
import { addCatalogueRoutes } from "./routes/catalogue.ts";
import { addFundsRoutes } from "./routes/funds.ts";
import { addHealthRoutes } from "./routes/health.ts";
import { addKeyRoutes } from "./routes/keys.ts";
import { addLedgerRoutes } from "./routes/ledger.ts";
import { addModelRoutes } from "./routes/models.ts";
import { addProviderRoutes } from "./routes/providers.ts";
import { addQuarantineRoutes } from "./routes/quarantine.ts";

type Parts = AdminDoor & {
  control: {
    keys: ManageKeys;
    funds: ManageFunds;
    showJournal: ShowJournal;
    verifyLedger: VerifyLedger;
    quarantine: ManageQuarantine;
    reportUsage: ReportUsage;
    catalogue: CatalogueStore;
  };
  providerTools: ProviderTools;
  /** What this process knows of the routes it used. */
  reportRoutes: () => readonly RouteReport[];
  metrics: Pick<Metrics, "expose">;
  events: Events;
  readiness: () => Promise<string[]>;
  degraded: () => string[];
};

/** The operators' listener: everything operational is here and nothing of it on the public one. [interface decision 35] */
export function createAdmin({
  control,
  providerTools,
  reportRoutes,
  metrics,
  readiness,
  degraded,
  ...door
}: Parts): FastifyInstance {
  const app = openAdminDoor(door);
  const { events, clock } = door;
  app.get("/livez", () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const reasons = await readiness();
    if (reasons.length > 0) return reply.code(503).send({ status: "unavailable", reasons });
    const lacking = degraded();
    return reply.send({ status: lacking.length === 0 ? "ok" : "degraded", reasons: lacking });
  });
  app.get("/metrics", async (_request, reply) => {
    const { contentType, text } = await metrics.expose();
    return reply.type(contentType).send(text);
  });
  addKeyRoutes(app, { keys: control.keys, events });
  addFundsRoutes(app, control);
  addLedgerRoutes(app, control);
  addQuarantineRoutes(app, control);
  const { catalogue } = control;
  addProviderRoutes(app, { catalogue, providerTools, events });
  addModelRoutes(app, { catalogue, events, clock });
  addCatalogueRoutes(app, { catalogue, events });
  addHealthRoutes(app, { reportRoutes });
  return app;
}
