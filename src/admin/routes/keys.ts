import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { Fault } from "../../core/fault.ts";
import type { IssueKey } from "../../keys/issue-key.ts";
import type { KeyStore } from "../../keys/key.ts";
import type { Events } from "../../telemetry/events.ts";
import { validate } from "../../wire/validate.ts";
import { keyOrderSchema, keyView, toKeyOrder } from "../contract.ts";

type Parts = { store: KeyStore; issueKey: IssueKey; events: Pick<Events, "keyIssued" | "keyRevoked"> };

const pageSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  after: z.uuid().optional(),
});

/** Create, list and revoke keys. */
export function addKeyRoutes(app: FastifyInstance, { store, issueKey, events }: Parts): void {
  app.post("/admin/v1/keys", async (request, reply) => {
    const { key, secret } = await issueKey(toKeyOrder(validate(keyOrderSchema, request.body ?? {})));
    events.keyIssued({ keyId: key.id, prefix: key.prefix, mode: key.mode });
    return reply.code(201).send({ key: keyView(key), secret });
  });

  app.get("/admin/v1/keys", async (request) => {
    const { limit, after } = validate(pageSchema, request.query);
    const keys = await store.list({ limit, ...(after === undefined ? {} : { after }) });
    return { data: keys.map(keyView) };
  });

  app.post<{ Params: { key: string } }>("/admin/v1/keys/:key/revoke", async (request) => {
    const found = await store.find(request.params.key);
    if (found.length > 1)
      throw new Fault("invalid_request", `${found.length} keys have this prefix; name one by its id.`);
    const revoked = found[0] ? await store.revoke(found[0].id) : null;
    if (!revoked) throw new Fault("not_found", "There is no key with this id or prefix.");
    events.keyRevoked({ keyId: revoked.id, prefix: revoked.prefix });
    return { key: keyView(revoked) };
  });
}
