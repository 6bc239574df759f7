import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../../support/gateway-process.ts";
import { notAt } from "../../support/provider-dialect.ts";
import { expectRefusal } from "../knock.ts";
import { ask } from "./ask.ts";

const UNAVAILABLE = { status: 502, code: "provider_unavailable", type: "api_error", retry: "unsaid" } as const;
const FAILED = { status: 502, code: "upstream_error", type: "api_error", retry: "unsaid" } as const;

const failing = (fault: string): TestModel => ({ upstream: `sim+fail=${fault}` });
const models = {
  "401": failing("401"),
  "403": failing("403"),
  "429": failing("429"),
  "503": failing("503"),
  "529": failing("529"),
  "404": failing("404"),
  "418": failing("418"),
  "500": failing("500"),
  reset: failing("reset"),
  "breaks-off": failing("reset@3"),
  nonsense: { upstream: "sim+malformed=2" },
};

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models });
});
afterAll(() => gateway.stop());

test.each(["401", "403"] as const)(
  "a provider's %s is our misconfiguration, not the caller's [UPS-3] [ERR-18]",
  async (model) => {
    const { message } = expectRefusal(await ask(gateway, { model }), UNAVAILABLE);

    expect(message).not.toContain("script");
  },
);

test.each(["429", "503", "529"] as const)(
  "a provider over its capacity (%s) is unavailable [UPS-5] [ERR-18]",
  async (model) => {
    expectRefusal(await ask(gateway, { model }), UNAVAILABLE);
  },
);

test.for(["404", "418", "500"] as const)(
  "a provider's %s is an upstream error [UPS-7] [ERR-19]",
  async (model, context) => {
    if (model === "404") notAt("converse", context, "there it is our account that a model is missing from");
    expectRefusal(await ask(gateway, { model }), FAILED);
  },
);

test.each([
  ["reset", { stream: false }],
  ["reset", { stream: true }],
  ["breaks-off", { stream: false }],
])(
  "a provider that breaks off before the caller saw anything (%s, %j) is an upstream error [ERR-19]",
  async (model, fields) => {
    expectRefusal(await ask(gateway, { model, ...fields }), FAILED);
  },
);

test("a plain answer that cannot be read is an upstream error [UPS-8] [ERR-19]", async () => {
  expectRefusal(await ask(gateway, { model: "nonsense" }), FAILED);
});

test("nothing of the provider's own words or names is in such a refusal [UPS-9]", async () => {
  for (const model of ["401", "404", "500"]) {
    const reply = await ask(gateway, { model });

    expect(reply.text).not.toMatch(/127\.0\.0\.1|sim\+|The script/);
  }
});

test("trying again is left to the caller's own backoff: no advice, no Retry-After", async () => {
  const reply = await ask(gateway, { model: "500" });

  expect(reply.headers).not.toHaveProperty("x-should-retry");
  expect(reply.headers).not.toHaveProperty("retry-after");
});
