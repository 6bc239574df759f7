import type { FastifyInstance } from "fastify";
import type { ManageQuarantine } from "../../ledger/quarantine.ts";
import { validate } from "../../wire/validate.ts";
import { quarantinePageSchema, releaseSchema } from "../../wire/admin/ledger.ts";

type OfRequest = { Params: { request: string } };

/** Holds that the sweep could not end. */
export function addQuarantineRoutes(app: FastifyInstance, { quarantine }: { quarantine: ManageQuarantine }): void {
  app.get("/admin/v1/ledger/quarantine", (request) =>
    quarantine.list(validate(quarantinePageSchema, request.query).limit),
  );

  app.post<OfRequest>("/admin/v1/ledger/quarantine/:request/release", (request) =>
    quarantine.release(request.params.request, validate(releaseSchema, request.body ?? {}).end),
  );
}
