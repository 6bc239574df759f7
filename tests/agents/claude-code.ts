import { join } from "node:path";
import { PACKAGES } from "../conformance/clients/versions.ts";
import type { Agent } from "./agent.ts";
import { toolScript } from "./tool-script.ts";

/**
 * Claude Code has two ways to present a key. Credit keys go the bearer way here and token-budget keys the other, so that both
 * are seen to work.
 */
export const claudeCode: Agent = {
  name: "Claude Code",
  packages: PACKAGES.claudeCode,
  folder: "claude-code",
  program: (folder) =>
    join(folder, `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}`, "claude"),
  dialect: "messages",
  writeFile: (file, content) => ({ tool: "Write", input: { file_path: file, content } }),
  specialTools: [
    { name: "ToolSearch", call: { tool: "ToolSearch", input: { query: "select:WebFetch", max_results: 5 } } },
  ],
  searchScript: {
    script: toolScript({ tool: "WebSearch", input: { query: "tides" } }),
    // Its tool asks the provider in a request of its own, between the call and the answer.
    outcomes: ["completed", "completed", "completed"],
  },
  command: ({ mode, origin, apiKey, model, prompt, searches }) => ({
    args: [
      "--print",
      ...(searches ? ["--allowedTools", "WebSearch"] : []),
      "--model",
      model,
      "--permission-mode",
      "acceptEdits",
      prompt,
    ],
    environment: {
      ANTHROPIC_BASE_URL: origin,
      [mode === "credit" ? "ANTHROPIC_AUTH_TOKEN" : "ANTHROPIC_API_KEY"]: apiKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    },
  }),
};
