import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { expectRefusal, knock } from "../knock.ts";
import { ask } from "./ask.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());

test.each([
  "no-such-model",
  "SIM-FAST",
  "sim-fast ",
  "simulator/sim-fast",
  "sim-fast+fail=500",
  "__proto__",
  "constructor",
])(
  "the model %j is not in the catalogue, which is told with the field and the place to look [CHA-3] [ERR-16] [HDR-10]",
  async (model) => {
    const { message } = expectRefusal(await ask(gateway, { model }), {
      status: 404,
      code: "model_not_found",
      type: "invalid_request_error",
      param: "model",
    });

    expect(message).toContain(JSON.stringify(model));
    expect(message).toContain("/v1/models");
  },
);

test("a very long name is not repeated at length", async () => {
  const { message } = expectRefusal(await ask(gateway, { model: "x".repeat(100_000) }), {
    status: 404,
    code: "model_not_found",
    type: "invalid_request_error",
    param: "model",
  });

  expect(message.length).toBeLessThan(300);
});

test("no such model reached the provider", async () => {
  expect(await gateway.witness()).toEqual([]);
});

test.each(["/v1/chat/completions/", "/v1/chat", "/chat/completions", "/v1/Chat/completions", "/v2/chat/completions"])(
  "%s is another path [ERR-26]",
  async (path) => {
    const reply = await knock(gateway.publicUrl, { method: "POST", path, body: "{}" });

    expectRefusal(reply, { status: 404, code: "not_found", type: "invalid_request_error" });
  },
);
