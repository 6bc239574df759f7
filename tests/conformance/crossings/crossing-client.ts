import type { z } from "zod";

/** The formats of callers, and those of providers. */
export const CLIENTS = ["chat", "responses", "messages"] as const;
export const PROVIDERS = [...CLIENTS, "gemini", "converse"] as const;

export type Client = (typeof CLIENTS)[number];
export type Provider = (typeof PROVIDERS)[number];

export type How = "plain" | "streamed";

/** What a caller wants, in no dialect's words. */
export type Question = {
  model: string;
  how: How;
  limitTokens?: number;
  tools?: readonly string[];
  thinks?: true;
  /** Base64 of a PNG. */
  picture?: string;
  /** Base64 of a PDF. */
  document?: string;
  schema?: z.ZodObject;
  stop?: string;
  /** Nothing may be lost on the way. */
  strict?: true;
  /** Members of the body that no dialect has. */
  more?: Record<string, unknown>;
  /** The turn before: what the client was given, and what the tools it called have said. */
  after?: { turn: readonly object[]; results: readonly { id: string; text: string }[] };
};

/** What the official client of a dialect has understood of an answer. */
export type Heard = {
  text: string;
  thoughts: string;
  calls: readonly { id: string; name: string; input: unknown }[];
  refusal: string | null;
  /** In the dialect's own word. */
  stop: string;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  /** One block ended before the next began, where the format's streams are written so. */
  orderly: boolean;
  /** What the client's own parser made of a structured answer. */
  parsed: unknown;
  /** The answer as it is sent back with the next turn. */
  turn: readonly object[];
};

/** The official client of one dialect. */
export type CrossingClient = {
  ask: (question: Question) => Promise<Heard>;
  /** Leaves a stream as soon as it has said this, or a plain request when it is told to. */
  leave: (question: Question, when: { said: string; told: () => Promise<void> }) => Promise<void>;
  /** The code that an error has for a caller who catches it. */
  codeOf: (error: unknown) => unknown;
};

export const HELLO = "Hello";
export const GO_ON = "Go on.";
export const TOOL_SCHEMA = { type: "object" as const, properties: { query: { type: "string" } } };

export const optionsOf = ({ strict }: Question) => (strict ? { headers: { "x-tollgate-fidelity": "strict" } } : {});
