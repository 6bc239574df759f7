import type { ProviderDialect } from "../core/request/dialect.ts";
import type { Group, Stop } from "./plan/block.ts";
import type { Refusal } from "./ask/refusal.ts";
import type { Script } from "./plan/script.ts";
import type { UsageReport } from "./plan/usage-report.ts";

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
  /** Sequences the answer is to end at. */
  stop: readonly string[];
  /** What the answer is to fit; null for words. */
  schema: JsonObject | null;
  body: JsonObject;
};

/** What the path of a call says, in a dialect whose bodies name no model. */
export type Named = { model: string; streamed: boolean };

/** One answer, decided in full before its first byte. */
export type Generation = {
  /** Unique, without punctuation; the ids inside the answer are made of it. */
  id: string;
  ask: Ask;
  /** What the answer says that it was served as; null: as everybody, anywhere. */
  served: { tier: string | null; region: string | null };
  createdAtSeconds: number;
  /** Per choice, whether or not they are shown. */
  tokens: number;
  groups: readonly Group[];
  stop: Stop;
  usage: UsageReport | null;
};

/** The events of one group of blocks, each a whole server-sent event. */
export type Stretch = {
  before: () => readonly string[];
  /** How many of its tokens are shown. */
  tokens: number;
  /** Called once per token in the hot loop: a concatenation, nothing more. Empty for a token that is told with a later one. */
  token: (index: number) => string;
  after: () => readonly string[];
};

/** The events of one stream. They are asked for once, in the order in which they are sent: some dialects number them. */
export type StreamEncoder = {
  opening: () => readonly string[];
  stretches: readonly Stretch[];
  closing: () => readonly string[];
  failure: () => string;
  /** An event whose data is cut in the middle of its JSON. */
  broken: string;
};

/** How one provider talks. Adding one means writing these and a row in `dialects.ts`. */
export type Dialect = {
  name: ProviderDialect;
  /** The folder its recordings are kept in. */
  folder: string;
  credentialHeaders: readonly ("authorization" | "api-key" | "x-api-key" | "x-goog-api-key")[];
  /** The parameter of the query that may hold the credential instead. */
  credentialQuery?: string;
  requestIdHeader: string;
  /** A signature of Amazon's may stand in the place of the credential. */
  takesSignatures?: true;
  /** Refuses a call that lacks a header this provider insists on. */
  requireHeaders?: (headers: Record<string, string>) => void;
  /** Where a refusal says how long to wait; in the header `Retry-After` unless said. */
  retryIn?: "body";
  read: (body: JsonObject, named?: Named) => Ask;
  /** How tokens are counted without an answer, where that can be asked. */
  count?: { read: (body: JsonObject, named?: Named) => Ask; answer: (inputTokens: number) => JsonObject };
  /** One vector for each input, where such are made. */
  embed?: { read: (body: JsonObject) => Ask; answer: (ask: Ask, script: Script) => Buffer };
  /** The list of models, or the one that is named. */
  models?: (named: Named | undefined, headers: Record<string, string>) => string;
  encode: (generation: Generation) => StreamEncoder;
  answer: (generation: Generation) => string;
  refuse: (refusal: Refusal, requestId: string) => string;
  /** What a refusal says beside its body. */
  refusalHeaders?: (refusal: Refusal) => Record<string, string>;
  /** How events are sent, where they are not sent as such: all that are given at once. */
  framing?: { contentType: string; bytes: (events: string) => Buffer };
  /** Wraps the data of one recorded event. */
  frame: (data: string) => string;
  /** The event every stream ends with, where a recording may have left it out. */
  terminator: string | null;
};
