import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";
import { ALLOWANCES } from "../sdk/allowances.ts";
import { sdkSchemas } from "../sdk/sdk-schemas.ts";
import { createWireValidator } from "../sdk/wire-validator.ts";

const { schemas, missing } = await sdkSchemas();
if (schemas === null) process.stderr.write(`skipped: the SDKs' types cannot be made into schemas: ${missing}\n`);

const SCRIPTS = [
  "tokens=3",
  "tokens=3+thinking=2",
  "tokens=3+thinking=2+thoughts=detailed",
  "tokens=3+thinking=2+thoughts=hidden",
  "tokens=3+words=2+tools=weather,time",
  "tokens=3+tools=weather,time+interleaved",
  "tokens=3+refusal",
  "tokens=100",
  "tokens=3+cached=2",
  "tokens=3+searches=2+pages=1",
];
const PATHS = { chat: "chat/completions", responses: "responses", messages: "messages" };
const BODY = {
  max_tokens: 50,
  max_output_tokens: 50,
  messages: [{ role: "user", content: "Hello" }],
  input: "Hello",
  stream_options: { include_usage: true },
  reasoning: { effort: "high", summary: "auto" },
  include: ["reasoning.encrypted_content"],
};
/** Tools of the provider's own; each format has its conversation in a member of its own. */
const SEARCH = { type: "web_search_20250305", name: "web_search", max_uses: 1 };
const FETCH = { type: "web_fetch_20250910", name: "web_fetch" };
const OWN = {
  chat: { input: undefined },
  responses: { messages: undefined, tools: [{ type: "web_search" }] },
  messages: { input: undefined, tools: [SEARCH, FETCH] },
};
/** Members that the types have and recorded providers leave out, or send as null. */
const LEFT_OUT = [
  /^messages\w+ .*required property '(caller|citations|container|stop_details|diagnostics)'$/,
  /^messages\w+ .*usage must have required property '(inference_geo|output_tokens_details|server_tool_use|speed)'$/,
  /^responsesEvent item must have required property 'action'$/,
  /^responses\w+ .*(required property 'access_programs'|user must be string)$/,
];
const CASES = (["chat", "responses", "messages"] as const).flatMap((name) =>
  SCRIPTS.map((script) => ({ name, script })),
);

let simulator: SimulatorProcess;
beforeAll(async () => {
  simulator = await startSimulatorProcess();
});
afterAll(() => simulator.stop());

async function ask(name: keyof typeof PATHS, script: string, how: "plain" | "streamed"): Promise<string> {
  const answer = await fetch(`${simulator.url}/v1/${PATHS[name]}`, {
    method: "POST",
    headers: { authorization: "Bearer k", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ ...BODY, ...OWN[name], model: `sim+${script}`, stream: how === "streamed" }),
  });
  return answer.text();
}

describe.skipIf(schemas === null)("what the simulated provider says is of the official clients' types", () => {
  const validate = createWireValidator(schemas ?? []);
  const faultsOf = (name: Parameters<typeof validate>[0], value: unknown): string[] =>
    validate(name, value)
      .map((words) => `${name} ${words}`)
      .filter(
        (words) => ![...ALLOWANCES.map((allowance) => allowance.words), ...LEFT_OUT].some((known) => known.test(words)),
      );

  test.each(CASES)("$name: $script", async ({ name, script }) => {
    const events = [...(await ask(name, script, "streamed")).matchAll(/^data: (\{.*)$/gm)]
      .map(([, data]) => JSON.parse(data ?? "") as { type?: string })
      .filter(({ type }) => type !== "ping");
    const answer: unknown = JSON.parse(await ask(name, script, "plain"));

    expect(events.length).toBeGreaterThan(2);
    expect(new Set(events.flatMap((event) => faultsOf(`${name}Event`, event)))).toEqual(new Set());
    expect(faultsOf(`${name}Answer`, answer)).toEqual([]);
  });
});
