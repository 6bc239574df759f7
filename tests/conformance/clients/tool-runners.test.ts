import Anthropic from "@anthropic-ai/sdk";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../../support/gateway-process.ts";
import { type LineProgram } from "../../support/line-program.ts";
import { installPythonPackages, startPython } from "../../support/python-environment.ts";
import { requestsDuring } from "../../support/request-log.ts";
import { type Access, MAX_TOKENS, MORE, PROMPT, TOOL, TOOL_INPUT, WEATHER } from "./client.ts";
import { TALK, WORDS } from "./client-stage.ts";
import { PYTHON_PACKAGES } from "./versions.ts";

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

const anthropic = inPython(anthropicPython.folder, "anthropic_runner.py");
/** It begins each task with a thread, and goes on without when that is refused. */
const UNTHREADED = [400, 200, 200, 400, 200];

const RUNNERS: readonly Runner[] = [
  { title: "@anthropic-ai/sdk, toolRunner", dialect: "messages", statuses: UNTHREADED, run: runAnthropic({}) },
  {
    title: "@anthropic-ai/sdk, toolRunner without a thread",
    dialect: "messages",
    statuses: [200, 200, 200],
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
    },
    60_000,
  );
});
