import { basename, join } from "node:path";
import { PACKAGES } from "../conformance/clients/versions.ts";
import type { Agent, AgentCommand, Errand } from "./agent.ts";

const WIRE = 'env_key="TOLLGATE_KEY", wire_api="responses"';

export const codex: Agent = {
  name: "Codex",
  packages: PACKAGES.codex,
  folder: "codex",
  // The package's own script finds the binary of the platform.
  program: (folder) => join(folder, "node_modules/.bin/codex"),
  dialect: "responses",
  writeFile: (file, content) => ({ tool: "exec_command", input: { cmd: printed(file, content) } }),
  // Codex knows models by how their names begin: this one patches files, the other one writes programs that call tools.
  specialTools: [
    {
      name: "apply_patch",
      model: "gpt-5.5",
      call: (file, content) => ({
        tool: "apply_patch",
        input: { input: `*** Begin Patch\n*** Add File: ${basename(file)}\n+${content}\n*** End Patch` },
      }),
    },
    {
      name: "functions.exec",
      model: "gpt-6.1-sol",
      call: (file, content) => ({
        tool: "functions__exec",
        input: { input: `text(await tools.exec_command({cmd:"${printed(basename(file), content)}"}))` },
      }),
    },
    { name: "tool_search", model: "gpt-5.5", call: { tool: "tool_search", input: { query: "agent" } } },
  ],
  searchScript: { script: "tokens=6", outcomes: ["completed"] },
  command: (errand) => command(errand, WIRE),
  limitations: { "budget used up": "says nothing and waits for as long as Retry-After says, until the budget renews" },
};

/** The same program over a WebSocket. Whatever else it does is tried without one. */
export const codexOverSocket: Agent = {
  ...codex,
  name: "Codex socket",
  specialTools: [],
  overSocket: true,
  command: (errand) => command(errand, `${WIRE}, supports_websockets=true`),
};

function command({ origin, apiKey, model, prompt, searches }: Errand, provider: string): AgentCommand {
  return {
    args: [
      "exec",
      ...option("model_provider", '"tollgate"'),
      ...option("model_providers.tollgate", `{name="Tollgate", base_url="${origin}/v1", ${provider}}`),
      ...option("web_search", searches ? '"live"' : '"disabled"'),
      "--model",
      model,
      "--sandbox",
      "workspace-write",
      "--skip-git-repo-check",
      prompt,
    ],
    environment: { TOLLGATE_KEY: apiKey },
  };
}

const printed = (file: string, content: string): string => `printf '${content}' > ${file}`;

const option = (name: string, value: string): string[] => ["-c", `${name}=${value}`];
