export const FORMATS = ["chat", "responses", "messages"] as const;
export type Format = (typeof FORMATS)[number];
/** How a key pays. */
export type Unit = "credit" | "tokens";
export type Json = Record<string, unknown>;

export const PATHS: Record<Format, string> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};

export type Asked = {
  model: string;
  prompt?: string;
  /** Output limit; null sends none. */
  limit?: number | null;
  stream?: boolean;
  /** Members of the outermost object. */
  extra?: Json;
};

/** A request in the caller's format. */
export function bodyOf(
  format: Format,
  { model, prompt = "Say something.", limit = 1_000, stream, extra }: Asked,
): Json {
  const streamed = stream === undefined ? {} : { stream };
  if (format === "responses") {
    return { model, input: prompt, ...(limit !== null && { max_output_tokens: limit }), ...streamed, ...extra };
  }
  const messages = [{ role: "user", content: prompt }];
  return { model, messages, ...(limit !== null && { max_tokens: limit }), ...streamed, ...extra };
}
