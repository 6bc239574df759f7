import type { MessagesCloud } from "./messages-quirks.ts";

type Flags = Readonly<Record<string, string>>;

const COMPACT = "compact-2026-01-12";
const CONTEXT = "context-management-2025-06-27";
const TOOL_SEARCH = "tool-search-tool-2025-10-19";
const COMPUTER: Flags = Object.fromEntries(
  ["computer-use-2025-01-24", "computer-use-2025-11-24"].map((flag) => [flag, flag]),
);

/** Flags that clouds take, with what each calls it; they refuse a request for any other. Learnt by other gateways from refusals. */
const TAKEN: Readonly<Record<MessagesCloud, Flags>> = {
  bedrock: {
    ...COMPUTER,
    [COMPACT]: COMPACT,
    "advanced-tool-use-2025-11-20": TOOL_SEARCH,
    [TOOL_SEARCH]: TOOL_SEARCH,
    "effort-2025-11-24": "effort-2025-11-24",
    "fine-grained-tool-streaming-2025-05-14": "fine-grained-tool-streaming-2025-05-14",
  },
  vertex: {
    ...COMPUTER,
    [COMPACT]: COMPACT,
    [CONTEXT]: CONTEXT,
    "advanced-tool-use-2025-11-20": TOOL_SEARCH,
    [TOOL_SEARCH]: TOOL_SEARCH,
    "interleaved-thinking-2025-05-14": "interleaved-thinking-2025-05-14",
    "web-search-2025-03-05": "web-search-2025-03-05",
  },
};

/** The flags of a header as a cloud takes them, each once. */
export function cloudBetas(header: string | undefined, cloud: MessagesCloud): readonly string[] {
  const taken = TAKEN[cloud];
  const flags = (header ?? "").split(",").map((flag) => flag.trim());
  return [...new Set(flags.flatMap((flag) => (Object.hasOwn(taken, flag) ? [taken[flag] ?? ""] : [])))];
}
