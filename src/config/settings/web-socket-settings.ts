import { choice, group, integer } from "./setting.ts";

const LONGEST_MS = 86_400_000;

export const webSocketSettings = group(
  "Responses over WebSocket, at `GET /v1/responses` with an upgrade, for clients such as Codex.",
  {
    enabled: choice(
      { values: ["off", "on"], fallback: "off" },
      "`on` accepts WebSockets. `off` rejects them with 426, and Codex then uses HTTP.",
    ),
    sockets: integer(
      { min: 1, max: 1_000_000, fallback: 2000 },
      "Maximum number of open WebSockets of each process. More get 503. One key or person may use `limits.key_share_percent` of them, at least 4; more get 429.",
    ),
    idle_ms: integer(
      { min: 1, max: LONGEST_MS, fallback: 900_000 },
      "Longest time without a message before a WebSocket is closed, in milliseconds.",
    ),
    lifetime_ms: integer(
      { min: 1, max: LONGEST_MS, fallback: 3_600_000 },
      "Longest time a WebSocket stays open, in milliseconds. A running response ends first. Clients then open another.",
    ),
    conversation_bytes: integer(
      { min: 0, max: 1_099_511_627_776, fallback: 67_108_864 },
      "Memory for the last conversation of every WebSocket, in bytes, so that a client can send only what is new with `previous_response_id`. One key or person may use `limits.key_share_percent` of it, and at least one conversation of the largest size. Beyond it, the conversations used least recently are forgotten, and their clients are told to send everything.",
    ),
  },
);
