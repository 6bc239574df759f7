import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer, expectRefusal, knock } from "../knock.ts";

const MISSING = { status: 404, code: "not_found", type: "invalid_request_error" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());

test.each(["/metrics", "/admin/v1/keys", "/admin/v1/ledger/verify", "/token/metrics", "/debug/pprof", "/v1/keys"])(
  "%s is not on the public listener, not even for operators [VER-10] [AUT-22]",
  async (path) => {
    const credentials = [[], bearer(gateway.keys.credit), bearer(gateway.adminToken)];
    for (const headers of credentials) {
      for (const method of ["GET", "POST"]) {
        expectRefusal(await knock(`${gateway.publicUrl}${path}`, { method, headers }), MISSING);
      }
    }
    expect(
      (await fetch(`${gateway.adminUrl}/metrics`, { headers: { authorization: `Bearer ${gateway.adminToken}` } }))
        .status,
    ).toBe(200);
  },
);

test.each(["/models", "/usage", "/chat/completions", "/responses", "/messages", "/messages/count_tokens"])(
  "%s has no place outside /v1 [VER-2]",
  async (path) => {
    for (const prefix of ["", "/v2", "/token", "/api"]) {
      for (const method of ["GET", "POST"]) {
        const reply = await knock(`${gateway.publicUrl}${prefix}${path}`, {
          method,
          headers: bearer(gateway.keys.credit),
        });

        expectRefusal(reply, MISSING);
      }
    }
  },
);

test("a client whose base URL has a /v1 too many is told which path it asked for, and what to leave out", async () => {
  const reply = await knock(`${gateway.publicUrl}/v1/v1/messages?secret=1`, { method: "POST" });

  expect(reply.text).toContain("There is nothing at /v1/v1/messages. Remove /v1 from the client's base URL");
});

test.each([
  ["/v1/chat/completion", "Did you mean /v1/chat/completions?"],
  ["/chat/completions", "Did you mean /v1/chat/completions?"],
  ["/token/v1/message", "Did you mean /token/v1/messages?"],
  ["/v1", "Did you mean /v1/models?"],
  ["/token/v1/", "Did you mean /token/v1/models?"],
  [
    "/v1/rerank",
    "text generation and embeddings only: /v1/chat/completions, /v1/responses, /v1/messages and /v1/embeddings",
  ],
  ["/v1/embedding", "Did you mean /v1/embeddings?"],
  ["/token/v1/images/generations", "text generation and embeddings only"],
  ["/v1/messages/batches", "text generation and embeddings only"],
  ["/nothing/like/it", "GET /docs lists them"],
])(
  "%s is refused with the path that was probably meant, or why there is none [ERR-26] [ERR-38]",
  async (path, advice) => {
    const { text } = await knock(`${gateway.publicUrl}${path}`, { method: "POST" });

    expect(text).toContain(`There is nothing at ${path}. `);
    expect(text).toContain(advice);
  },
);
