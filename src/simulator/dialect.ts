import type { ClientDialect } from "../core/dialect.ts";
import type { Content } from "./content.ts";
import type { Refusal } from "./refusal.ts";
import type { UsageReport } from "./usage-report.ts";

export type JsonObject = Record<string, unknown>;

/** What a request asks for, in the words all dialects share. */
export type Ask = {
  model: string;
  streamed: boolean;
  limitTokens: number | null;
  choices: number;
  /** Chat only: the extra chunk was asked for. */
  streamUsage: boolean;
  /** The parts of the body that are input to the model. */
  prompt: readonly unknown[];
  body: JsonObject;
};

/** One answer, decided in full before its first byte. */
export type Generation = {
  /** Unique, without punctuation; the ids inside the answer are made of it. */
  id: string;
  ask: Ask;
  createdAtSeconds: number;
  /** Per choice, after the caller's limit. */
  tokens: number;
  /** The caller's limit cut the answer short. */
  truncated: boolean;
  content: Content;
  tool: string | null;
  usage: UsageReport | null;
};

/** The events of one stream, each a whole server-sent event. */
export type StreamEncoder = {
  tokens: number;
  opening: readonly string[];
  /** Called once per token in the hot loop: a concatenation, nothing more. */
  token: (index: number) => string;
  closing: () => readonly string[];
  failure: (sentTokens: number) => string;
  /** An event whose data is cut in the middle of its JSON. */
  broken: string;
};

/** How one provider talks. Adding one means writing these and a row in `dialects.ts`. */
export type Dialect = {
  name: ClientDialect;
  /** The folder its recordings are kept in. */
  folder: string;
  credentialHeaders: readonly ("authorization" | "x-api-key")[];
  requestIdHeader: string;
  /** Refuses a call that lacks a header this provider insists on. */
  requireHeaders?: (headers: Record<string, string>) => void;
  read: (body: JsonObject) => Ask;
  encode: (generation: Generation) => StreamEncoder;
  answer: (generation: Generation) => string;
  refuse: (refusal: Refusal, requestId: string) => string;
  /** Wraps the data of one recorded event. */
  frame: (data: string) => string;
  /** The event every stream ends with, where a recording may have left it out. */
  terminator: string | null;
};
