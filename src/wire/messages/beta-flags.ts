/**
 * The `anthropic-beta` flags that reach a provider. A flag stands here when it neither keeps anything in the provider's
 * account nor changes its prices nor lets it act elsewhere; the others are left out silently, as a provider that does not
 * know them would. [interface decision 13]
 */
const ALLOWED: ReadonlySet<string> = new Set([
  "adaptive-thinking-2026-01-28",
  "advanced-tool-use-2025-11-20",
  "claude-code-20250219",
  "compact-2026-01-12",
  "compact-2026-09-04",
  "computer-use-2024-10-22",
  "computer-use-2025-01-24",
  "computer-use-2025-11-24",
  "context-management-2025-06-27",
  "dev-full-thinking-2025-05-14",
  "effort-2025-11-24",
  "extended-cache-ttl-2025-04-11",
  "fine-grained-tool-streaming-2025-05-14",
  "fast-mode-2026-02-01",
  "interleaved-thinking-2025-05-14",
  "mid-conversation-output-config-2026-07-01",
  "mid-conversation-tool-changes-2026-07-01",
  "model-context-window-exceeded-2025-08-26",
  "output-128k-2025-02-19",
  "pdfs-2024-09-25",
  "prompt-caching-2024-07-31",
  "prompt-caching-scope-2026-01-05",
  "redact-thinking-2026-02-12",
  "structured-outputs-2025-11-13",
  "task-budgets-2026-03-13",
  "thinking-binding-controls-2026-08-01",
  "thinking-display-updates-2026-08-18",
  "thinking-token-count-2026-05-13",
  "token-counting-2024-11-01",
  "token-efficient-tools-2025-02-19",
  "tool-search-tool-2025-10-19",
  "web-fetch-2025-09-10",
  "web-search-2025-03-05",
]);

/** The allowed ones of a header's flags, in their order. The operator's own are flags that this list does not know yet. */
export function allowedBetas(header: string, operators: readonly string[]): string {
  const flags = header.split(",").map((flag) => flag.trim());
  return [...new Set(flags)].filter((flag) => ALLOWED.has(flag) || operators.includes(flag)).join(",");
}
