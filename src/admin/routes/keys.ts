import type { FastifyInstance } from "fastify";
import type { ManageKeys } from "../../keys/manage-keys.ts";
import type { Events } from "../../telemetry/events.ts";
import { validate } from "../../wire/validate.ts";
import { keyRequestSchema, pageSchema } from "../contract.ts";

type Parts = { keys: ManageKeys; events: Pick<Events, "keyIssued" | "keyRevoked"> };

/** Create, list and revoke keys. */
export function addKeyRoutes(app: FastifyInstance, { keys, events }: Parts): void {
  app.post("/admin/v1/keys", async (request, reply) => {
    const made = await keys.create(validate(keyRequestSchema, request.body ?? {}));
    events.keyIssued({ keyId: made.key.id, prefix: made.key.prefix, mode: made.key.mode });
    return reply.code(201).send(made);
  });

  app.get("/admin/v1/keys", async (request) => {
    const { limit, after } = validate(pageSchema, request.query);
    return { data: await keys.list({ limit, ...(after === undefined ? {} : { after }) }) };
  });

  app.post<{ Params: { key: string } }>("/admin/v1/keys/:key/revoke", async (request) => {
    const key = await keys.revoke(request.params.key);
    events.keyRevoked({ keyId: key.id, prefix: key.prefix });
    return { key };
  });
}
