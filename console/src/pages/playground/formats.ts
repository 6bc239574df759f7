import { GENERATION_PATHS } from "../../../../src/wire/client-setup/curl.ts";

/** The three ways to ask that a client of the gateway can use. */
export const FORMATS = ["chat", "responses", "messages"] as const;
export type Format = (typeof FORMATS)[number];

export type Turn = { role: "user" | "assistant"; text: string };
export type Asked = { model: string; system: string; turns: readonly Turn[]; most: number };

type Wire = {
  name: string;
  /** Below the origin of a key; below `/me` for the session of this page. */
  path: (typeof GENERATION_PATHS)[Format];
  body: (asked: Asked) => object;
};

const messagesOf = (turns: readonly Turn[]) => turns.map(({ role, text }) => ({ role, content: text }));

export const WIRES: Record<Format, Wire> = {
  chat: {
    name: "Chat completions",
    path: GENERATION_PATHS.chat,
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
    path: GENERATION_PATHS.responses,
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
    path: GENERATION_PATHS.messages,
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
