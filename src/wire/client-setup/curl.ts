import type { CallFormat, ClientDialect } from "../../core/request/dialect.ts";

/** Below the origin of a key; below `/me` for the session of a page. */
export const GENERATION_PATHS = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
} as const satisfies Record<ClientDialect, string>;

const PATHS: Record<CallFormat, string> = { ...GENERATION_PATHS, embeddings: "/v1/embeddings" };

/** As each format's own clients send it. */
const KEY_HEADERS: Record<CallFormat, (key: string) => readonly string[]> = {
  chat: (key) => [`authorization: Bearer ${key}`],
  responses: (key) => [`authorization: Bearer ${key}`],
  embeddings: (key) => [`authorization: Bearer ${key}`],
  messages: (key) => [`x-api-key: ${key}`, "anthropic-version: 2023-06-01"],
};

type Given = {
  origin: string;
  format: CallFormat;
  body: object;
  /** Shown as it arrives. */
  streamed: boolean;
  /** As a shell writes it within quotation marks. */
  key?: string;
};

/** A request as a command of the shell. */
export function curlCommand({ origin, format, body, streamed, key = "$TOLLGATE_KEY" }: Given): string {
  return [
    `curl ${streamed ? "-N " : ""}${origin}${PATHS[format]}`,
    ...[...KEY_HEADERS[format](key), "content-type: application/json"].map((header) => `-H "${header}"`),
    `-d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
  ].join(" \\\n  ");
}
