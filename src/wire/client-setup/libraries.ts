import { type ClientSetup, exportLines, keyInShell, keyPart, type SetupConnection, type SetupPart } from "./setup.ts";

/** How a program of the reader names its key. Nothing is read from the environment here. */
const KEY_IN_NODE = ["process", "env", "TOLLGATE_KEY"].join(".");

type Given = Pick<SetupConnection, "origin" | "key">;

export const openAiVariables = ({ origin, key }: Given) => ({ OPENAI_BASE_URL: `${origin}/v1`, OPENAI_API_KEY: key });
export const anthropicVariables = ({ origin, key }: Given) => ({ ANTHROPIC_BASE_URL: origin, ANTHROPIC_API_KEY: key });

type VariablesOf = (given: Given) => Readonly<Record<string, string>>;

const variablesPart = (connection: SetupConnection, variables: VariablesOf): SetupPart => ({
  place: "or in your shell, for a program that takes both from there",
  text: exportLines(variables({ origin: connection.origin, key: keyInShell(connection) })),
});

/** A library that takes both from the code; the packages of OpenAI and Anthropic read them from the environment, too. */
const library = ({
  install,
  code,
  variables,
  ...rest
}: Pick<ClientSetup, "id" | "name" | "format" | "covers" | "notes"> & {
  install: string;
  code: (connection: SetupConnection) => string;
  variables?: VariablesOf;
}): ClientSetup => ({
  ...rest,
  group: "Libraries",
  parts: (connection) => [
    keyPart(connection),
    { place: install, text: code(connection) },
    ...(variables === undefined ? [] : [variablesPart(connection, variables)]),
  ],
  next: "Keep the key out of the repository and out of browser code.",
});

export const LIBRARIES: readonly ClientSetup[] = [
  library({
    id: "openai-js",
    name: "OpenAI SDK, JavaScript",
    format: "chat",
    covers: ["openai (JavaScript)", "@openai/agents", "zod"],
    variables: openAiVariables,
    install: "npm install openai",
    code: ({ origin, model }) => `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${origin}/v1", apiKey: ${KEY_IN_NODE} });
const answer = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.choices[0].message.content);`,
    notes: ["The base URL ends in `/v1`."],
  }),
  library({
    id: "openai-python",
    name: "OpenAI SDK, Python",
    format: "responses",
    covers: ["openai (Python)", "openai-agents (Python)"],
    variables: openAiVariables,
    install: "pip install openai",
    code: ({ origin, model }) => `import os

from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["TOLLGATE_KEY"])
answer = client.responses.create(model="${model}", input="Hello")
print(answer.output_text)`,
    notes: ["The base URL ends in `/v1`."],
  }),
  library({
    id: "openai-go",
    name: "OpenAI SDK, Go",
    format: "chat",
    covers: ["github.com/openai/openai-go/v3"],
    variables: openAiVariables,
    install: "go get github.com/openai/openai-go/v3",
    code: ({ origin, model }) => `client := openai.NewClient(
	option.WithBaseURL("${origin}/v1/"),
	option.WithAPIKey(os.Getenv("TOLLGATE_KEY")),
)
answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
	Model:    "${model}",
	Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello")},
})`,
    notes: ["The base URL ends in `/v1/`."],
  }),
  library({
    id: "anthropic-js",
    name: "Anthropic SDK, JavaScript",
    format: "messages",
    covers: ["@anthropic-ai/sdk"],
    variables: anthropicVariables,
    install: "npm install @anthropic-ai/sdk",
    code: ({ origin, model }) => `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${origin}", apiKey: ${KEY_IN_NODE} });
const message = await client.messages.create({
  model: "${model}",
  max_tokens: 1024,
  messages: [{ role: "user", content: "Hello" }],
});
console.log(message.content);`,
    notes: ["The base URL has no `/v1`; the package appends it. Set the key in one place only."],
  }),
  library({
    id: "anthropic-python",
    name: "Anthropic SDK, Python",
    format: "messages",
    covers: ["anthropic (Python)"],
    variables: anthropicVariables,
    install: "pip install anthropic",
    code: ({ origin, model }) => `import os

from anthropic import Anthropic

client = Anthropic(base_url="${origin}", api_key=os.environ["TOLLGATE_KEY"])
message = client.messages.create(
    model="${model}", max_tokens=1024, messages=[{"role": "user", "content": "Hello"}]
)
print(message.content[0].text)`,
    notes: ["The base URL has no `/v1`; the package appends it. Set the key in one place only."],
  }),
  library({
    id: "ai-sdk",
    name: "Vercel AI SDK",
    format: "responses",
    covers: ["ai", "@ai-sdk/openai", "@ai-sdk/openai-compatible", "@ai-sdk/anthropic"],
    install: "npm install ai @ai-sdk/openai @ai-sdk/openai-compatible @ai-sdk/anthropic",
    code: ({ origin, model }) => `import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";

const at = { baseURL: "${origin}/v1", apiKey: ${KEY_IN_NODE} };
const prompt = "Hello";
const unstored = { providerOptions: { openai: { store: false } } };
await generateText({ model: createOpenAI(at)("${model}"), prompt, ...unstored }); // responses
await generateText({ model: createOpenAI(at).chat("${model}"), prompt });
await generateText({ model: createOpenAICompatible({ name: "tollgate", ...at })("${model}"), prompt });
await generateText({ model: createAnthropic(at)("${model}"), prompt });`,
    notes: [
      "All three provider packages need the base URL with `/v1`, also the one for Anthropic.",
      "Without `store: false`, the package refers to items that OpenAI would have stored, and every request after the first gets 400.",
    ],
  }),
  library({
    id: "langchain",
    name: "LangChain.js",
    format: "chat",
    covers: ["@langchain/core", "@langchain/openai", "@langchain/anthropic"],
    install: "npm install @langchain/openai @langchain/anthropic",
    code: ({ origin, model }) => `import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";

const apiKey = ${KEY_IN_NODE};
new ChatOpenAI({ model: "${model}", apiKey, configuration: { baseURL: "${origin}/v1" } });
new ChatAnthropic({ model: "${model}", apiKey, anthropicApiUrl: "${origin}" });`,
    notes: ["`@langchain/openai` takes a Responses stream that failed for a complete answer. Prefer chat completions."],
  }),
];
