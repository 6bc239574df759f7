import Anthropic from "@anthropic-ai/sdk";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../../support/gateway-process.ts";
import { type LineProgram } from "../../support/line-program.ts";
import { installPackages, load } from "../../support/npm-packages.ts";
import { installPythonPackages, startPython } from "../../support/python-environment.ts";
import { requestsDuring } from "../../support/request-log.ts";
import { type Access, MAX_TOKENS, MORE, PROMPT, TOOL, TOOL_INPUT, WEATHER } from "./client.ts";
import { TALK, WORDS } from "./client-stage.ts";
import { PACKAGES, PYTHON_PACKAGES } from "./versions.ts";

/** What came of two tasks in one conversation: the last words, and what the tool was called with. */
type Done = { said: string; inputs: unknown[] };

/** A library that runs the caller's tools itself until the task is done. */
type Runner = {
  title: string;
  dialect: NonNullable<TestModel["dialect"]>;
  /** Of the requests that two tasks take. */
  statuses: readonly number[];
  missing?: string | null;
  run: (access: Access, model: string) => Promise<Done>;
};

const { name, description, schema } = TOOL;
const agentsJs = await installPackages("openai-agents", PACKAGES.openaiAgents);
const agentsPython = await installPythonPackages("openai-agents", PYTHON_PACKAGES.openaiAgents);
const anthropicPython = await installPythonPackages("anthropic", PYTHON_PACKAGES.anthropic);

const programs: LineProgram[] = [];
afterAll(() => Promise.all(programs.map((program) => program.stop())));

/** A library of another language, started when it is first asked. */
function inPython(folder: string | null, script: string): (words: object) => Runner["run"] {
  let program: LineProgram | undefined;
  return (words) => async (access, model) => {
    if (folder === null) throw new Error("not installed");
    if (program === undefined)
      programs.push((program = startPython(folder, join(import.meta.dirname, "programs", script))));
    const question = { ...access, model, maxTokens: MAX_TOKENS, tool: TOOL, weather: WEATHER, more: MORE, ...words };
    const { result, error } = await program.ask<{ result?: Done; error?: string }>(question);
    if (result === undefined) throw new Error(error);
    return result;
  };
}

const runAnthropic =
  (more: { thread?: false }): Runner["run"] =>
  async ({ origin, apiKey, retries }, model) => {
    const client = new Anthropic({ apiKey, baseURL: origin, maxRetries: retries });
    const inputs: unknown[] = [];
    const run = async (input: unknown): Promise<string> => {
      inputs.push(input);
      return WEATHER;
    };
    const tools = [{ name, description, input_schema: schema, run, parse: (input: unknown) => input }];
    const task = (messages: Anthropic.Beta.BetaMessageParam[]) =>
      client.beta.messages.toolRunner({ model, max_tokens: MAX_TOKENS, messages, tools, ...more });

    const first = task([{ role: "user", content: PROMPT }]);
    await first;
    const { content } = await task([...first.params.messages, { role: "user", content: MORE }]);
    return { said: content.map((block) => (block.type === "text" ? block.text : "")).join(""), inputs };
  };

/** The official package's own runner, which only chat completions have. */
async function runTools({ origin, apiKey, retries }: Access, model: string): Promise<Done> {
  const client = new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: retries });
  const inputs: unknown[] = [];
  const look = (input: object): string => {
    inputs.push(input);
    return WEATHER;
  };
  const parse = (text: string): object => JSON.parse(text) as object;
  const tool = { function: look, parse, name, description, parameters: schema };
  const task = (messages: OpenAI.ChatCompletionMessageParam[]) =>
    client.chat.completions.runTools({
      model,
      max_completion_tokens: MAX_TOKENS,
      messages,
      tools: [{ type: "function", function: tool }],
    });

  const first = task([{ role: "user", content: PROMPT }]);
  await first.done();
  const said = await task([...first.messages, { role: "user", content: MORE }]).finalContent();
  return { said: said ?? "", inputs };
}

/** As much of the library as is used here. */
type Agents = {
  Agent: new (options: object) => object;
  run: (agent: object, input: unknown) => Promise<{ finalOutput?: string; history: object[] }>;
  tool: (definition: object) => object;
  setTracingDisabled: (disabled: boolean) => void;
} & Record<"OpenAIResponsesModel" | "OpenAIChatCompletionsModel", new (client: OpenAI, model: string) => object>;

const runAgent =
  (kind: "OpenAIResponsesModel" | "OpenAIChatCompletionsModel"): Runner["run"] =>
  async ({ origin, apiKey, retries }, model) => {
    const { Agent, run, tool, setTracingDisabled, [kind]: Model } = load<Agents>(agentsJs, "@openai/agents");
    setTracingDisabled(true);
    const inputs: unknown[] = [];
    const execute = (input: unknown): string => {
      inputs.push(input);
      return WEATHER;
    };
    const parameters = { ...schema, additionalProperties: false };
    const agent = new Agent({
      name: "Assistant",
      model: new Model(new OpenAI({ apiKey, baseURL: `${origin}/v1`, maxRetries: retries }), model),
      modelSettings: { maxTokens: MAX_TOKENS },
      tools: [tool({ name, description, parameters, execute })],
    });

    const { history } = await run(agent, PROMPT);
    const { finalOutput = "" } = await run(agent, [...history, { role: "user", content: MORE }]);
    return { said: finalOutput, inputs };
  };

const agents = inPython(agentsPython.folder, "openai_agents.py");
const anthropic = inPython(anthropicPython.folder, "anthropic_runner.py");
/** It begins each task with a thread, and goes on without when that is refused. */
const UNTHREADED = [400, 200, 200, 400, 200];

/** Of a task with a call, and of one without. */
const AS_DUE = [200, 200, 200];

const RUNNERS: readonly Runner[] = [
  { title: "openai (JavaScript), runTools", dialect: "chat", statuses: AS_DUE, run: runTools },
  {
    title: "@openai/agents, responses",
    dialect: "responses",
    statuses: AS_DUE,
    missing: agentsJs.missing,
    run: runAgent("OpenAIResponsesModel"),
  },
  {
    title: "@openai/agents, chat completions",
    dialect: "chat",
    statuses: AS_DUE,
    missing: agentsJs.missing,
    run: runAgent("OpenAIChatCompletionsModel"),
  },
  {
    title: "openai-agents (Python), responses",
    dialect: "responses",
    statuses: AS_DUE,
    missing: agentsPython.missing,
    run: agents({ api: "responses" }),
  },
  {
    title: "openai-agents (Python), chat completions",
    dialect: "chat",
    statuses: AS_DUE,
    missing: agentsPython.missing,
    run: agents({ api: "chat" }),
  },
  { title: "@anthropic-ai/sdk, toolRunner", dialect: "messages", statuses: UNTHREADED, run: runAnthropic({}) },
  {
    title: "@anthropic-ai/sdk, toolRunner without a thread",
    dialect: "messages",
    statuses: AS_DUE,
    run: runAnthropic({ thread: false }),
  },
  {
    title: "anthropic (Python), tool_runner",
    dialect: "messages",
    statuses: UNTHREADED,
    missing: anthropicPython.missing,
    run: anthropic({ awaited: false }),
  },
  {
    title: "anthropic (Python), tool_runner, asynchronous",
    dialect: "messages",
    statuses: UNTHREADED,
    missing: anthropicPython.missing,
    run: anthropic({ awaited: true }),
  },
];

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      RUNNERS.map(({ dialect }, index) => [`task-${index}`, { dialect, upstream: `sim+${TALK}` }]),
    ),
  });
}, 180_000);
afterAll(() => gateway.stop());

describe.each(RUNNERS.map((runner, index) => ({ ...runner, index })))("$title", (runner) => {
  // Reporters pass a file over in silence when all of it is skipped.
  if (runner.missing) process.stderr.write(`skipped: ${runner.title} cannot be installed: ${runner.missing}\n`);
  test.skipIf(runner.missing)(
    "runs a tool, ends the task, and takes a second one in the same conversation",
    async () => {
      const access = { origin: gateway.publicUrl, apiKey: gateway.keys.credit, retries: 0 };

      const { result, requests } = await requestsDuring(gateway, () => runner.run(access, `task-${runner.index}`));

      expect(result).toEqual({ said: WORDS, inputs: [TOOL_INPUT] });
      expect(requests.map(({ status }) => status)).toEqual(runner.statuses);
      expect(requests.filter(({ dropped }) => dropped !== undefined)).toEqual([]);
    },
    60_000,
  );
});
