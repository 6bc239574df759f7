import Fastify from "fastify";
import { expect, test } from "vitest";
import { type NotLetIn, tellRefused } from "./tell-refused.ts";

test("whoever is not let in is told of with the operation and who it is, and nothing of what stood in the path", async () => {
  const told: NotLetIn[] = [];
  const app = Fastify({ genReqId: () => "req_1" });
  app.decorateRequest("caller", null);
  app.decorateRequest("address", "203.0.113.7");
  tellRefused(app, (refusal) => told.push(refusal));
  const by = { actor: "ann@acme.example", personId: "p", via: "token" } as const;
  app.get("/keys/:key", async (request, reply) => {
    const { status } = request.query as { status: string };
    if (status === "403") request.caller = { by, person: null };
    if (status === "404" && "lead" in (request.query as object))
      request.caller = { by: { ...by, within: ["a"] }, person: null };
    return reply.code(Number(status)).send({});
  });

  for (const status of [200, 401, 403, 404, 429, 503]) await app.inject(`/keys/tgc_a-secret?status=${status}`);
  await app.inject("/keys/tgc_a-secret?status=404&lead");

  const common = { address: "203.0.113.7", requestId: "req_1", operation: "GET /keys/:key" };
  expect(told).toEqual([
    { ...common, by: null, code: "invalid_credentials" },
    { ...common, by, code: "forbidden" },
    { ...common, by: null, code: "rate_limit_exceeded" },
    { ...common, by: { ...by, within: ["a"] }, code: "not_found" },
  ]);
});
