/** How Codex begins its `User-Agent` and its header `originator`: `codex_cli_rs`, `codex-tui`, `Codex Desktop`. */
export const CODEX = /^codex(?:[ /_-]|$)/i;
