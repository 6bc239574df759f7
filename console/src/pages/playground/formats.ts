/** The three ways to ask that a client of the gateway can use. */
export const FORMATS = ["chat", "responses", "messages"] as const;
export type Format = (typeof FORMATS)[number];

export type Turn = { role: "user" | "assistant"; text: string };
export type Asked = { model: string; system: string; turns: readonly Turn[]; most: number };

type Wire = {
  name: string;
  /** Below the origin of a key; below `/me` for the session of this page. */
  path: "/v1/chat/completions" | "/v1/responses" | "/v1/messages";
  body: (asked: Asked) => object;
};

const messagesOf = (turns: readonly Turn[]) => turns.map(({ role, text }) => ({ role, content: text }));

export const WIRES: Record<Format, Wire> = {
  chat: {
    name: "Chat completions",
    path: "/v1/chat/completions",
    body: ({ model, system, turns, most }) => ({
      model,
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: most,
      messages: [...(system === "" ? [] : [{ role: "system", content: system }]), ...messagesOf(turns)],
    }),
  },
  responses: {
    name: "Responses",
    path: "/v1/responses",
    body: ({ model, system, turns, most }) => ({
      model,
      stream: true,
      max_output_tokens: most,
      ...(system !== "" && { instructions: system }),
      input: messagesOf(turns),
    }),
  },
  messages: {
    name: "Messages",
    path: "/v1/messages",
    body: ({ model, system, turns, most }) => ({
      model,
      stream: true,
      max_tokens: most,
      ...(system !== "" && { system }),
      messages: messagesOf(turns),
    }),
  },
};

export const readFormat = (word: string | undefined): Format => FORMATS.find((format) => format === word) ?? "chat";

/** The same request as a command, with the key taken from the shell. */
export function curlOf(origin: string, format: Format, body: object): string {
  const text = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  return [
    `curl -N ${origin}${WIRES[format].path}`,
    `-H "authorization: Bearer $TOLLGATE_KEY"`,
    `-H 'content-type: application/json'`,
    ...(format === "messages" ? [`-H 'anthropic-version: 2023-06-01'`] : []),
    `-d '${text}'`,
  ].join(" \\\n  ");
}
