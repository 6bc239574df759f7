import { gemini } from "../gemini/gemini.ts";
import { messages } from "../messages/messages.ts";
import type { Dialect, JsonObject, Named } from "../dialect.ts";
import { invalid } from "../ask/refusal.ts";
import { checkBetas, type ClaudeRules, MEMBERS, readClaudeBody } from "./claude-body.ts";

const RULES: ClaudeRules = {
  members: [...MEMBERS, "stream", "context_management"],
  versions: ["vertex-2023-10-16", "2026-10-21"],
  betas: [
    "compact-2026-01-12",
    "computer-use-2025-01-24",
    "computer-use-2025-11-24",
    "context-management-2025-06-27",
    "interleaved-thinking-2025-05-14",
    "tool-search-tool-2025-10-19",
    "web-search-2025-03-05",
  ],
};

const NO_NAME: Named = { model: "", streamed: false };

/** Claude in Google's cloud: the model and whether it is streamed stand in the path, the version in the body, flags in a header. */
export const vertexClaude: Dialect = {
  ...messages,
  credentialHeaders: ["authorization"],
  requestIdHeader: "x-goog-request-id",
  requireHeaders: ({ "anthropic-beta": flags = "" }) =>
    checkBetas(
      flags.split(",").filter((flag) => flag !== ""),
      RULES,
    ),
  read: (body, named = NO_NAME) => {
    if ((body["stream"] === true) !== named.streamed)
      throw invalid("stream: the body must say the same as the address", "stream");
    return messages.read(readClaudeBody(body, RULES, named));
  },
  count: {
    read: ({ model, ...body }: JsonObject) => {
      if (typeof model !== "string") throw invalid("model: Field required", "model");
      const { stream: _, ...read } = readClaudeBody(body, RULES, { model, streamed: false });
      return messages.count?.read(read) ?? messages.read(read);
    },
    answer: (inputTokens) => ({ input_tokens: inputTokens }),
  },
};

/** Gemini in Google's cloud, which takes a token as well as the key of its express mode. */
export const vertexGemini: Dialect = { ...gemini, credentialHeaders: ["authorization", "x-goog-api-key"] };
