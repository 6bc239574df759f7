/** The formats that are measured, and what a request in each of them looks like. */
export const DIALECTS = {
  chat: {
    path: "/v1/chat/completions",
    headers: {},
    body: (content: string): object => ({ messages: [{ role: "user", content }], max_tokens: 1000 }),
  },
  responses: {
    path: "/v1/responses",
    headers: {},
    body: (content: string): object => ({ input: content, max_output_tokens: 1000 }),
  },
  messages: {
    path: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01" },
    body: (content: string): object => ({ messages: [{ role: "user", content }], max_tokens: 1000 }),
  },
} as const;

export type BenchDialect = keyof typeof DIALECTS;
