import type { FastifyInstance } from "fastify";
import { Conflict } from "../../core/conflict.ts";
import type { ShowJournal } from "../../ledger/journal.ts";
import type { ReportUsage } from "../../ledger/usage-report.ts";
import type { VerifyLedger } from "../../ledger/verify.ts";
import { validate } from "../../wire/validate.ts";
import { journalPageSchema, usageSchema, verifySchema } from "../../wire/admin/ledger.ts";

type Parts = { showJournal: ShowJournal; verifyLedger: VerifyLedger; reportUsage: ReportUsage };
type OfKey = { Params: { key: string } };

/** Reads the books: the journal of a key, what it used, and whether everything adds up. */
export function addLedgerRoutes(app: FastifyInstance, { showJournal, verifyLedger, reportUsage }: Parts): void {
  let verifying = false;

  app.get<OfKey>("/admin/v1/keys/:key/journal", (request) => {
    const { limit, before } = validate(journalPageSchema, request.query);
    return showJournal(request.params.key, { limit, before: before ?? null });
  });

  app.get<OfKey>("/admin/v1/keys/:key/usage", (request) =>
    reportUsage(request.params.key, validate(usageSchema, request.query).days),
  );

  // It reads every charge there is, so one at a time is enough.
  app.post("/admin/v1/ledger/verify", async (request) => {
    const { key } = validate(verifySchema, request.body ?? {});
    if (verifying) throw new Conflict("the ledger is being verified already; wait until that is done.");
    verifying = true;
    try {
      return await verifyLedger(key, () => undefined);
    } finally {
      verifying = false;
    }
  });
}
