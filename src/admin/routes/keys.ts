import type { FastifyInstance } from "fastify";
import { STATUS_CHANGES } from "../../keys/key-status.ts";
import type { KeyChangeRequest } from "../../keys/key-view.ts";
import type { ManageKeys } from "../../keys/manage-keys.ts";
import type { Events } from "../../telemetry/events.ts";
import { validate } from "../../wire/validate.ts";
import { keyChangeSchema, keyRequestSchema, pageSchema, rotationSchema } from "../../wire/admin/keys.ts";

type Parts = { keys: ManageKeys; events: Pick<Events, "keyIssued" | "keyStatusChanged"> };
type OfKey = { Params: { key: string } };

/** Make, list, show and change keys. `:key` is an id or a prefix. */
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

  app.get<OfKey>("/admin/v1/keys/:key", (request) => keys.show(request.params.key));

  app.patch<OfKey>("/admin/v1/keys/:key", (request) => {
    const changes = validate(keyChangeSchema, request.body ?? {});
    return keys.update(request.params.key, changes as KeyChangeRequest);
  });

  app.post<OfKey>("/admin/v1/keys/:key/rotate", async (request, reply) =>
    reply.code(201).send(await keys.rotate(request.params.key, validate(rotationSchema, request.body ?? {}))),
  );

  for (const change of STATUS_CHANGES) {
    app.post<OfKey>(`/admin/v1/keys/:key/${change}`, async (request) => {
      const result = await keys.changeStatus(request.params.key, change);
      const { id: keyId, prefix, status } = result.key;
      if (result.changed) events.keyStatusChanged({ keyId, prefix, status, requestId: request.id });
      return result;
    });
  }
}
