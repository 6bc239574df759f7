import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";
import { type Dialect, translates } from "../support/provider-dialect.ts";
import { createWireValidator } from "../sdk/wire-validator.ts";
import { sdkSchemas } from "../sdk/sdk-schemas.ts";

const PATCH = '*** Begin Patch\n*** Add File: a.txt\n+"é" \\ 😀\n*** End Patch';
const TOOLS: OpenAI.Responses.Tool[] = [
  { type: "custom", name: "apply_patch", format: { type: "grammar", syntax: "lark", definition: "start: LINE+" } },
  {
    type: "namespace",
    name: "agents",
    description: "",
    tools: [{ type: "function", name: "wait", parameters: { type: "object", properties: {} } }],
  },
  { type: "tool_search", execution: "client", parameters: { type: "object", properties: {} } },
];
const PROVIDERS: readonly Dialect[] = ["chat", "messages"];
const CASES = [
  { name: "apply_patch", input: { input: PATCH }, item: { type: "custom_tool_call", input: PATCH } },
  {
    name: "agents__wait",
    input: { id: 7 },
    item: { type: "function_call", name: "wait", namespace: "agents", arguments: '{"id":7}' },
  },
  { name: "tool_search", input: { query: "x" }, item: { type: "tool_search_call", arguments: { query: "x" } } },
];
const TRIALS = PROVIDERS.flatMap((dialect) => CASES.map((each) => ({ ...each, dialect })));
const { schemas } = await sdkSchemas();
const faultsOf = schemas === null ? null : createWireValidator(schemas);

/** A run in which every route is translated chooses the providers itself. */
describe.skipIf(translates())("tools that callers run, of a provider that speaks another format", () => {
  let gateway: GatewayProcess;
  let client: OpenAI;
  beforeAll(async () => {
    const models: Record<string, TestModel> = {};
    for (const { dialect, name, input } of TRIALS) {
      const given = Buffer.from(JSON.stringify(input)).toString("base64url");
      models[`${dialect}-${name}`] = { dialect, upstream: `sim+tokens=4+once+tool=${name}+arguments=${given}` };
    }
    gateway = await startGatewayProcess({ models });
    client = new OpenAI({ baseURL: `${gateway.publicUrl}/v1`, apiKey: gateway.keys.credit, maxRetries: 0 });
  });
  afterAll(() => gateway.stop());

  test.each(TRIALS)("$dialect: $item.type is called, streamed and plain, and its result goes back", async (trial) => {
    const ask = { model: `${trial.dialect}-${trial.name}`, input: "hi", tools: TOOLS };
    const events: unknown[] = [];
    const stream = client.responses.stream(ask).on("event", (event) => {
      // Events of the whole answer are held to the same types elsewhere; these are the call's own.
      if (!("response" in event)) events.push(event);
    });
    const streamed = await stream.finalResponse();
    const plain = await client.responses.create(ask);

    expect(streamed.output).toMatchObject([trial.item]);
    expect(plain.output).toMatchObject([trial.item]);
    expect(events.length).toBeGreaterThan(1);
    if (faultsOf !== null) expect(events.flatMap((event) => faultsOf("responsesEvent", event))).toEqual([]);

    const [call] = plain.output as { call_id: string; type: string }[];
    const callId = call?.call_id ?? "";
    const results = {
      custom_tool_call: { type: "custom_tool_call_output", call_id: callId, output: "Done." },
      function_call: { type: "function_call_output", call_id: callId, output: "Done." },
      tool_search_call: { type: "tool_search_output", call_id: callId, execution: "client", tools: [] },
    };
    const result = results[call?.type as keyof typeof results];
    const next = await client.responses.create({
      ...ask,
      input: [{ role: "user", content: "hi" }, ...plain.output, result] as OpenAI.Responses.ResponseInput,
    });
    expect(next.output_text).not.toBe("");
  });
});
