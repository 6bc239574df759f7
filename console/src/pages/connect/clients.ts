import type { Format } from "../playground/formats.ts";

/** What a client must know. The key is never among it: no script has it. */
export type Connection = {
  /** Without `/v1`; with `/token` for a key with a token budget. */
  origin: string;
  model: string;
  /** The beginning of the key, for a placeholder that its holder recognises. */
  prefix: string;
  /** What the model takes and gives; null where the gateway does not say. */
  limits: { context: number; output: number } | null;
};

export type Client = {
  id: string;
  name: string;
  group: "Agents" | "Libraries" | "Other";
  /** In which format it asks. */
  format: Format;
  /** As docs/reference/clients.md lists what was tested with these settings. */
  covers: readonly string[];
  /** Where the text belongs. */
  place: string;
  text: (connection: Connection) => string;
  /** What goes wrong most often. */
  notes: readonly string[];
};

const keyOf = ({ prefix }: Connection): string => `${prefix}…`;

const AGENTS: readonly Client[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    group: "Agents",
    format: "messages",
    covers: ["@anthropic-ai/claude-code"],
    place: "in your shell",
    text: (of) => `unset ANTHROPIC_API_KEY
export ANTHROPIC_BASE_URL=${of.origin}
export ANTHROPIC_AUTH_TOKEN=${keyOf(of)}
export ANTHROPIC_MODEL=${of.model}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${of.model}
claude`,
    notes: [
      "Do not set `ANTHROPIC_API_KEY` or `apiKeyHelper`: Claude Code then sends two credentials and gets 401.",
      "Each request asks for 32,000 output tokens, whose price is reserved while it runs. With a small balance, set `CLAUDE_CODE_MAX_OUTPUT_TOKENS`.",
      "`/status` in Claude Code shows the base URL.",
    ],
  },
  {
    id: "codex",
    name: "Codex",
    group: "Agents",
    format: "responses",
    covers: ["@openai/codex"],
    place: "in ~/.codex/config.toml",
    text: (of) => `model = "${of.model}"
model_provider = "tollgate"
web_search = "disabled"

[model_providers.tollgate]
name = "Tollgate"
base_url = "${of.origin}/v1"
env_key = "TOLLGATE_KEY"
wire_api = "responses"

# in your shell: export TOLLGATE_KEY=${keyOf(of)}`,
    notes: [
      "Keep `web_search` disabled for models that have no price for the provider's own search; the request gets 400 otherwise.",
      "Codex reads the file when it starts.",
    ],
  },
  {
    id: "opencode",
    name: "opencode",
    group: "Agents",
    format: "chat",
    covers: ["opencode-ai"],
    place: "in ~/.config/opencode/opencode.json",
    text: ({ origin, model, limits }) =>
      JSON.stringify(
        {
          $schema: "https://opencode.ai/config.json",
          model: `tollgate/${model}`,
          provider: {
            tollgate: {
              npm: "@ai-sdk/openai-compatible",
              name: "Tollgate",
              options: { baseURL: `${origin}/v1`, apiKey: "{env:TOLLGATE_KEY}" },
              models: { [model]: { name: model, ...(limits !== null && { limit: limits }) } },
            },
          },
        },
        null,
        2,
      ),
    notes: [
      "Without `limit`, opencode asks for 32,000 output tokens, and a model that supports fewer rejects the request.",
    ],
  },
  {
    id: "cursor",
    name: "Cursor",
    group: "Agents",
    format: "chat",
    covers: [],
    place: "in Settings → Models",
    text: (of) => `OpenAI API Key             ${keyOf(of)}
Override OpenAI Base URL   ${of.origin}/v1
Add model                  ${of.model}`,
    notes: [
      "Requests come from Cursor's servers: the gateway must be reachable from the internet, and Cursor sees the key.",
      "The override applies to all of Cursor's OpenAI models. Cursor is not tested: it can't run without its window.",
    ],
  },
];

const LIBRARIES: readonly Client[] = [
  {
    id: "openai-js",
    name: "OpenAI SDK, JavaScript",
    group: "Libraries",
    format: "chat",
    covers: ["openai (JavaScript)", "@openai/agents", "zod"],
    place: "npm install openai",
    text: ({ origin, model }) => `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${origin}/v1", apiKey: process.env.TOLLGATE_KEY });
const answer = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.choices[0].message.content);`,
    notes: ["The base URL ends in `/v1`."],
  },
  {
    id: "openai-python",
    name: "OpenAI SDK, Python",
    group: "Libraries",
    format: "responses",
    covers: ["openai (Python)", "openai-agents (Python)"],
    place: "pip install openai",
    text: ({ origin, model }) => `import os

from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["TOLLGATE_KEY"])
answer = client.responses.create(model="${model}", input="Hello")
print(answer.output_text)`,
    notes: ["The base URL ends in `/v1`."],
  },
  {
    id: "openai-go",
    name: "OpenAI SDK, Go",
    group: "Libraries",
    format: "chat",
    covers: ["github.com/openai/openai-go/v3"],
    place: "go get github.com/openai/openai-go/v3",
    text: ({ origin, model }) => `client := openai.NewClient(
	option.WithBaseURL("${origin}/v1/"),
	option.WithAPIKey(os.Getenv("TOLLGATE_KEY")),
)
answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
	Model:    "${model}",
	Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello")},
})`,
    notes: ["The base URL ends in `/v1/`."],
  },
  {
    id: "anthropic-js",
    name: "Anthropic SDK, JavaScript",
    group: "Libraries",
    format: "messages",
    covers: ["@anthropic-ai/sdk"],
    place: "npm install @anthropic-ai/sdk",
    text: ({ origin, model }) => `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${origin}", apiKey: process.env.TOLLGATE_KEY });
const message = await client.messages.create({
  model: "${model}",
  max_tokens: 1024,
  messages: [{ role: "user", content: "Hello" }],
});
console.log(message.content);`,
    notes: ["The base URL has no `/v1`; the package appends it. Set the key in one place only."],
  },
  {
    id: "anthropic-python",
    name: "Anthropic SDK, Python",
    group: "Libraries",
    format: "messages",
    covers: ["anthropic (Python)"],
    place: "pip install anthropic",
    text: ({ origin, model }) => `import os

from anthropic import Anthropic

client = Anthropic(base_url="${origin}", api_key=os.environ["TOLLGATE_KEY"])
message = client.messages.create(
    model="${model}", max_tokens=1024, messages=[{"role": "user", "content": "Hello"}]
)
print(message.content[0].text)`,
    notes: ["The base URL has no `/v1`; the package appends it."],
  },
  {
    id: "ai-sdk",
    name: "Vercel AI SDK",
    group: "Libraries",
    format: "responses",
    covers: ["ai", "@ai-sdk/openai", "@ai-sdk/openai-compatible", "@ai-sdk/anthropic"],
    place: "npm install ai @ai-sdk/openai @ai-sdk/openai-compatible @ai-sdk/anthropic",
    text: ({ origin, model }) => `import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";

const at = { baseURL: "${origin}/v1", apiKey: process.env.TOLLGATE_KEY };
const prompt = "Hello";
await generateText({ model: createOpenAI(at)("${model}"), prompt }); // responses
await generateText({ model: createOpenAI(at).chat("${model}"), prompt });
await generateText({ model: createOpenAICompatible({ name: "tollgate", ...at })("${model}"), prompt });
await generateText({ model: createAnthropic(at)("${model}"), prompt });`,
    notes: ["All three provider packages need the base URL with `/v1`, also the one for Anthropic."],
  },
  {
    id: "langchain",
    name: "LangChain.js",
    group: "Libraries",
    format: "chat",
    covers: ["@langchain/core", "@langchain/openai", "@langchain/anthropic"],
    place: "npm install @langchain/openai @langchain/anthropic",
    text: ({ origin, model }) => `import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";

const apiKey = process.env.TOLLGATE_KEY;
new ChatOpenAI({ model: "${model}", apiKey, configuration: { baseURL: "${origin}/v1" } });
new ChatAnthropic({ model: "${model}", apiKey, anthropicApiUrl: "${origin}" });`,
    notes: ["`@langchain/openai` takes a Responses stream that failed for a complete answer. Prefer chat completions."],
  },
];

const OTHERS: readonly Client[] = [
  {
    id: "curl",
    name: "curl, OpenAI-compatible",
    group: "Other",
    format: "chat",
    covers: [],
    place: "in your shell",
    text: (of) => `export TOLLGATE_KEY=${keyOf(of)}
curl -N ${of.origin}/v1/chat/completions \\
  -H "authorization: Bearer $TOLLGATE_KEY" -H "content-type: application/json" \\
  -d '{"model":"${of.model}","stream":true,"messages":[{"role":"user","content":"Hello"}]}'`,
    notes: ["`-N` shows the stream as it arrives."],
  },
  {
    id: "curl-messages",
    name: "curl, Anthropic-compatible",
    group: "Other",
    format: "messages",
    covers: [],
    place: "in your shell",
    text: (of) => `export TOLLGATE_KEY=${keyOf(of)}
curl -N ${of.origin}/v1/messages \\
  -H "x-api-key: $TOLLGATE_KEY" -H "anthropic-version: 2023-06-01" -H "content-type: application/json" \\
  -d '{"model":"${of.model}","stream":true,"max_tokens":1024,"messages":[{"role":"user","content":"Hello"}]}'`,
    notes: ["Send the key in one header only: `x-api-key` or `Authorization`."],
  },
  {
    id: "other",
    name: "Any other client",
    group: "Other",
    format: "chat",
    covers: [],
    place: "where the client asks for them",
    text: (of) => `OpenAI-compatible base URL      ${of.origin}/v1
Anthropic-compatible base URL   ${of.origin}
API key                         ${keyOf(of)}
Model                           ${of.model}`,
    notes: [
      "Zed, Cline, Continue, Open WebUI, LibreChat, Aider and n8n take the OpenAI-compatible one. They are not tested.",
    ],
  },
];

export const CLIENTS: readonly Client[] = [...AGENTS, ...LIBRARIES, ...OTHERS];
