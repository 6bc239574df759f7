import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { expectRefusal, knock, requestIdOf } from "../knock.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());

test.each(["/livez", "/readyz"])("%s answers anyone, and is not to be cached [HDR-1] [HDR-2]", async (path) => {
  const reply = await knock(`${gateway.publicUrl}${path}`);

  expect({ status: reply.status, body: JSON.parse(reply.text) as unknown }).toEqual({
    status: 200,
    body: { status: "ok" },
  });
  expect(reply.headers["cache-control"]).toBe("no-store");
  requestIdOf(reply);
});

test.each(["GET", "HEAD"])(
  "%s / answers agents that knock before their first request [HDR-1] [HDR-2]",
  async (method) => {
    const reply = await knock(`${gateway.publicUrl}/`, { method });

    expect(reply.status).toBe(200);
    requestIdOf(reply);
  },
);

test.each(["/metrics", "/admin/v1/keys", "/sim/witness", "/v1/keys", "/v1/models/", "//v1/models", "/v1/../v1/models"])(
  "%s is not on the public listener, and the refusal keeps the envelope [AUT-22] [ERR-26]",
  async (path) => {
    const reply = await knock(gateway.publicUrl, { path });

    expectRefusal(reply, { status: 404, code: "not_found", type: "invalid_request_error" });
  },
);

test.each([
  ["bytes that are not HTTP", "HELLO\r\n\r\n", 400],
  ["headers over the limit", `GET /v1/models HTTP/1.1\r\nhost: x\r\nx-long: ${"a".repeat(20_000)}\r\n\r\n`, 431],
])(
  "%s are answered with a status, an envelope and an id [HDR-1] [HDR-2] [ERR-1] [ERR-3]",
  async (_name, bytes, status) => {
    const socket = connect(Number(new URL(gateway.publicUrl).port), "127.0.0.1");
    socket.on("error", () => undefined);
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.write(bytes);
    await once(socket, "close");

    const [head = "", body = ""] = text.split("\r\n\r\n");
    const id = /^x-request-id: (req_[0-9a-f]{32})$/m.exec(head.replaceAll("\r", ""))?.[1];
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(id).toBeDefined();
    expect(head).toContain(`\r\nrequest-id: ${id}`);
    expect(JSON.parse(body)).toEqual({
      error: {
        message: expect.any(String) as string,
        type: "invalid_request_error",
        code: "invalid_request",
        param: null,
        request_id: id,
      },
    });
  },
);
