import { LRUCache } from "lru-cache";
import { CODEX } from "../core/request/codex.ts";

/** Agents and clients by the beginning of what they send as User-Agent, the most exact first. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [/^claude-(?:cli|code)\//i, "Claude Code"],
  [CODEX, "Codex"],
  [/^opencode\//i, "opencode"],
  [/^GeminiCLI\//i, "Gemini CLI"],
  [/^aider\b/i, "aider"],
  [/^(?:Cline|Roo-?Code|Kilo-?Code)\//i, "Cline"],
  [/^Zed\//i, "Zed"],
  [/^(?:Async)?OpenAI\/Python/i, "OpenAI SDK (Python)"],
  [/^(?:Async)?OpenAI\/JS/i, "OpenAI SDK (JavaScript)"],
  [/^OpenAI\/Go/i, "OpenAI SDK (Go)"],
  [/^(?:Async)?Anthropic\/Python/i, "Anthropic SDK (Python)"],
  [/^Anthropic\/JS/i, "Anthropic SDK (JavaScript)"],
  [/^Anthropic\/Go/i, "Anthropic SDK (Go)"],
  [/^ai\/\d/i, "AI SDK"],
  [/^litellm\//i, "LiteLLM"],
  [/^langchain/i, "LangChain"],
  [/^python-requests\//i, "Python requests"],
  [/^python-httpx\//i, "Python httpx"],
  [/^curl\//i, "curl"],
  [/^Mozilla\//i, "browser"],
];

/** Of a record. */
const CLIENT_CHARACTERS = 120;

export type SentBy = { client: string | null; agent: string | null };

const NOBODY: SentBy = { client: null, agent: null };

/** How many headers are remembered; a client sends the same one with every request. */
const REMEMBERED = 500;

/** Who sent a request, by its own word: never to be relied on. Control characters do not get further than this. */
export function createReadClient(): (userAgent: string | null) => SentBy {
  const remembered = new LRUCache<string, SentBy>({ max: REMEMBERED });
  return (userAgent) => {
    if (userAgent === null || userAgent === "") return NOBODY;
    // What is longer is cut before it is remembered: 16 KB are a header's right and not a memory's.
    const cut = userAgent.slice(0, CLIENT_CHARACTERS);
    const known = remembered.get(cut);
    if (known !== undefined) return known;
    const named = nameOf(cut);
    // A piece of a string keeps the whole of it in memory.
    remembered.set(Buffer.from(cut).toString(), named);
    return named;
  };
}

function nameOf(userAgent: string): SentBy {
  // oxlint-disable-next-line no-control-regex -- they are what must not get further.
  const plain = userAgent.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]/g, "?");
  const client = Buffer.from(plain).toString();
  return { client, agent: KNOWN.find(([pattern]) => pattern.test(client))?.[1] ?? null };
}
