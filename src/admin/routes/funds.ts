import type { FastifyInstance } from "fastify";
import type { FundedView, ManageFunds } from "../../ledger/manage-funds.ts";
import { validate } from "../../wire/validate.ts";
import { budgetSchema, topUpSchema } from "../../wire/admin/funds.ts";

type OfKey = { Params: { key: string } };

/** The money of a key: read it, add to it, set its budget. Booked anew is 201, booked before under this reference is 200. */
export function addFundsRoutes(app: FastifyInstance, { funds }: { funds: ManageFunds }): void {
  app.get<OfKey>("/admin/v1/keys/:key/account", (request) => funds.show(request.params.key));

  app.post<OfKey>("/admin/v1/keys/:key/topups", async (request, reply) => {
    const result = await funds.topUp(request.params.key, validate(topUpSchema, request.body ?? {}));
    return reply.code(statusOf(result)).send(result);
  });

  app.post<OfKey>("/admin/v1/keys/:key/budget", async (request, reply) => {
    const result = await funds.setBudget(request.params.key, validate(budgetSchema, request.body ?? {}));
    return reply.code(statusOf(result)).send(result);
  });
}

const statusOf = ({ result }: FundedView): number => (result === "funded" ? 201 : 200);
