/** The versions of every client that is tested but not installed with the project. `docs/reference/clients.md` lists them. */
export const PACKAGES = {
  previousAnthropic: { "@anthropic-ai/sdk": "0.137.0" },
  vercelAi: {
    ai: "7.0.169",
    "@ai-sdk/openai": "4.0.114",
    "@ai-sdk/openai-compatible": "3.0.90",
    "@ai-sdk/anthropic": "4.0.102",
  },
  langchain: { "@langchain/core": "1.2.13", "@langchain/openai": "1.6.0", "@langchain/anthropic": "1.5.11" },
  openaiAgents: { "@openai/agents": "0.20.0", zod: "4.1.12" },
  claudeCode: { "@anthropic-ai/claude-code": "2.1.325" },
  codex: { "@openai/codex": "0.166.0" },
  opencode: { "opencode-ai": "1.18.33" },
} as const;

export const PYTHON_PACKAGES = {
  openai: { openai: "3.49.0" },
  anthropic: { anthropic: "2.8.0" },
  openaiAgents: { "openai-agents": "0.24.0" },
} as const;

export const GO_MODULES = { "github.com/openai/openai-go/v3": "v3.90.0" } as const;
