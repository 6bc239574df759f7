import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer, knock, type Reply, requestIdOf } from "../knock.ts";

const SLASHED = "vendor/family/model-1:free";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: { [SLASHED]: { upstream: "sim" }, "no-price": { upstream: "sim", price: null } },
  });
});
afterAll(() => gateway.stop());

const get = (path: string, headers: readonly string[] = [], method = "GET"): Promise<Reply> =>
  knock(`${gateway.publicUrl}${path}`, { method, headers, path });

test("a model is shown as the list shows it, with either credential, none, and at both origins [MOD-21] [ORI-3]", async () => {
  const { credit, token_budget: tokens } = gateway.keys;
  const list = JSON.parse((await get("/v1/models")).text) as { data: { id: string }[] };
  const listed = list.data.find(({ id }) => id === "sim-fast");
  const replies = await Promise.all([
    get("/v1/models/sim-fast"),
    get("/v1/models/sim-fast?beta=true", bearer(credit)),
    get("/v1/models/sim-fast", ["x-api-key", credit]),
    get("/token/v1/models/sim-fast", bearer(tokens)),
  ]);

  for (const reply of replies) {
    expect({ status: reply.status, body: JSON.parse(reply.text) as unknown }).toEqual({ status: 200, body: listed });
    requestIdOf(reply);
  }
});

test("an id with slashes is found whether or not the client escapes them [MOD-21]", async () => {
  for (const path of [SLASHED, encodeURIComponent(SLASHED)])
    expect(JSON.parse((await get(`/v1/models/${path}`)).text)).toMatchObject({ id: SLASHED, object: "model" });
});

test("the official clients retrieve a model [MOD-21]", async () => {
  const { credit: apiKey } = gateway.keys;
  const openai = new OpenAI({ apiKey, baseURL: `${gateway.publicUrl}/v1` });
  const anthropic = new Anthropic({ apiKey, authToken: null, baseURL: gateway.publicUrl });

  expect(await openai.models.retrieve(SLASHED)).toMatchObject({ id: SLASHED, owned_by: expect.any(String) as string });
  expect(await anthropic.models.retrieve("sim-fast")).toMatchObject({ id: "sim-fast" });
});

test.each(["/v1/models", "/v1/models/sim-fast", "/v1/usage", "/openapi.json", "/docs", "/livez", "/readyz", "/"])(
  "HEAD %s is answered as GET is, without a body [HDR-15]",
  async (path) => {
    const headers = bearer(gateway.keys.credit);
    const whole = await get(path, headers);
    const head = await get(path, headers, "HEAD");

    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: "" });
    expect(head.headers["content-type"]).toBe(whole.headers["content-type"]);
    expect(head.headers["content-length"]).toBe(whole.headers["content-length"]);
    requestIdOf(head);
  },
);

test("HEAD is refused as GET is, without a body [HDR-15]", async () => {
  const reply = await get("/v1/usage", bearer("nonsense"), "HEAD");

  expect({ status: reply.status, text: reply.text }).toEqual({ status: 401, text: "" });
});
