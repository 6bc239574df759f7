import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sharedFolder } from "../../tests/support/recordings.ts";
import { type Pair, PAIRS, type Relayed, relayAnswer, UNTOUCHED } from "../../tests/translation/relay-answer.ts";
import { requestOf } from "../../tests/translation/request-of.ts";
import type { ProviderDialect } from "../core/request/dialect.ts";
import { pickTranslator } from "./pick-translator.ts";

type Tokens = [input: number, output: number, reasoning: number];

const CLOUDS = join(sharedFolder() ?? "", "recordings/clouds");
const FOLDERS: Record<string, ProviderDialect> = {
  "azure-chat": "chat",
  "azure-responses": "responses",
  "vertex-gemini": "gemini",
  "vertex-openai": "chat",
};

/** As each file says itself, read once by hand. */
const TOKENS: Record<string, Tokens | null> = {
  // It has no usage, so that its output is counted here.
  "azure-chat/async-content-filter.chunks.txt": null,
  "azure-chat/azure-chat-basic.exchange.json": [8, 271, 192],
  "azure-chat/azure-deepseek-reasoning.1.chunks.txt": [19, 1720, 0],
  "azure-chat/azure-deepseek-reasoning.1.json": [19, 1969, 0],
  "azure-chat/azure-model-router.1.chunks.txt": [15, 78, 64],
  "vertex-gemini/agentgateway-basic.json": [8, 6, 0],
  "vertex-gemini/agentgateway-blocked.json": [12, 0, 0],
  "vertex-gemini/agentgateway-reasoning.json": [10, 17, 5],
  "vertex-gemini/agentgateway-stream_tool.json": [15, 12, 0],
  "vertex-gemini/agentgateway-tool.json": [20, 8, 0],
  "vertex-gemini/google-vertex-stream-tool-call-arguments-nested.1.chunks.txt": [31, 1710, 1026],
  "vertex-openai/agentgateway-gemini_with_completion_tokens.json": [7, 395, 383],
  "vertex-openai/agentgateway-gemini_zero_completion_tokens.json": [7, 1, 1],
};
/** Refusals are read where all of them are. */
const REFUSALS = ["azure-chat/made-content-filter-400.exchange.json", "azure-chat/made-entra-401.exchange.json"];

type Recorded = { name: string; dialect: ProviderDialect; text: string };

const FILES: readonly Recorded[] =
  sharedFolder() === null
    ? []
    : Object.entries(FOLDERS).flatMap(([folder, dialect]) =>
        readdirSync(join(CLOUDS, folder)).map((file) => ({
          name: `${folder}/${file}`,
          dialect,
          text: readFileSync(join(CLOUDS, folder, file), "utf8"),
        })),
      );
const answers = FILES.filter(({ name }) => !REFUSALS.includes(name));
const isStream = ({ name, text }: Recorded): boolean => name.endsWith(".chunks.txt") || text.startsWith("data: ");

/** The whole answer of a file, which may be an exchange. */
const bodyIn = ({ text }: Recorded): Record<string, unknown> => {
  const value = JSON.parse(text) as Record<string, unknown>;
  const { response } = value as { response?: { body: Record<string, unknown> } };
  return response?.body ?? value;
};

function streamIn({ dialect, text }: Recorded): Buffer {
  if (text.startsWith("data: ")) return Buffer.from(text);
  const named = (line: string): string =>
    dialect === "responses" ? `event: ${(JSON.parse(line) as { type: string }).type}\n` : "";
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const end = dialect === "chat" && !lines.includes("[DONE]") ? "data: [DONE]\n\n" : "";
  return Buffer.from(lines.map((line) => `${named(line)}data: ${line}\n\n`).join("") + end);
}

/** Responses of Azure are those of OpenAI, and say their tokens in one place. */
function saidBy(recorded: Recorded): Tokens | null {
  if (recorded.dialect !== "responses") return TOKENS[recorded.name] ?? null;
  const lines = isStream(recorded) ? recorded.text.trim().split("\n") : [];
  // One file has a second answer behind the first.
  const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const last = events.find(({ type }) => type === "response.completed");
  const { usage } = (last?.["response"] ?? bodyIn(recorded)) as {
    usage: { input_tokens: number; output_tokens: number; output_tokens_details: { reasoning_tokens: number } };
  };
  return [usage.input_tokens, usage.output_tokens, usage.output_tokens_details.reasoning_tokens];
}

const tokensOf = (usage: Relayed["usage"]): Tokens | null =>
  usage === null ? null : [usage.inputTokens, usage.outputTokens, usage.reasoningTokens];

describe.skipIf(FILES.length === 0)("recorded answers of Azure and Vertex", () => {
  test("each has its tokens written down", () => {
    const listed = answers.filter(({ dialect }) => dialect !== "responses").map(({ name }) => name);

    expect(listed.toSorted()).toEqual(Object.keys(TOKENS).toSorted());
    expect(FILES.map(({ name }) => name)).toEqual(expect.arrayContaining(REFUSALS));
  });

  test.each(answers.filter(isStream))("$name is charged by its tokens, whoever reads it", async (recorded) => {
    const pairs: readonly Pair[] = [...PAIRS, ...UNTOUCHED].filter(({ provider }) => provider === recorded.dialect);
    for (const pair of pairs) {
      const { outcome, usage, text } = await relayAnswer(pair, [streamIn(recorded)]);
      const about = `${pair.client} ${pair.route}`;

      expect(outcome, about).toBe("completed");
      expect(tokensOf(usage), about).toEqual(saidBy(recorded));
      if (pair.client !== pair.provider) expect(text, about).not.toMatch(/content_filter_results|prompt_filter/);
    }
  });

  test.each(answers.filter((file) => !isStream(file)))("$name is charged by its tokens, whole", (recorded) => {
    const bytes = Buffer.from(JSON.stringify(bodyIn(recorded)));
    const origin = { requestId: "req_00ff", createdAtSeconds: 1_700_000_000 };
    for (const client of ["chat", "responses", "messages"] as const) {
      const translator = pickTranslator(client, { dialect: recorded.dialect, conformant: false });
      const { usage } = translator.plain(bytes, requestOf(client), origin);

      expect(tokensOf(usage), client).toEqual(saidBy(recorded));
    }
  });
});
