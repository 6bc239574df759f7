import type { Citation } from "./citation.ts";
import type { Native } from "./native.ts";

/** A request in no dialect's words: what every format can say, in the shape of the richest of them. */
export type RequestForm = {
  /** What was said before the conversation, in order. */
  system: TextBlock[];
  turns: Turn[];
  tools: ToolForm[];
  /** The provider is to search the web where its model wants to. */
  search: boolean;
  toolChoice: ToolChoice | null;
  parallelCalls: boolean | null;
  temperature: number | null;
  topP: number | null;
  stop: string[];
  outputFormat: OutputFormat | null;
  verbosity: string | null;
  thinking: ThinkingForm | null;
  /** The caller's user, already hidden from the provider. */
  user: string | null;
  promptCacheKey: string | null;
  labels: Record<string, unknown> | null;
  /** How likely each token was, with as many alternatives; null: not asked for. */
  probabilities: { alternatives: number | null } | null;
};

/** Consecutive things of one speaker are one turn, as results of parallel calls must be for some providers. */
export type Turn = { role: "user" | "assistant" | "system"; blocks: Block[] };

/** `citations`: what a model's own words rested on, when they are told again. */
export type TextBlock = {
  kind: "text";
  text: string;
  cacheHint: Record<string, unknown> | null;
  citations?: readonly Citation[];
};

/** Where the bytes of an image or a document are: in the request, or at an address. */
export type Source = { kind: "inline"; mediaType: string; data: string } | { kind: "url"; url: string };

export type Block =
  | TextBlock
  | { kind: "refusal"; text: string }
  | { kind: "image"; source: Source; detail: string | null; cacheHint: Record<string, unknown> | null }
  | { kind: "document"; source: Source; name: string | null; cacheHint: Record<string, unknown> | null }
  | { kind: "thinking"; text: string; native: Native | null }
  /** `input` is JSON text, as the model wrote it. */
  | { kind: "tool_call"; id: string; name: string; input: string; cacheHint?: Record<string, unknown> | null }
  | {
      kind: "tool_result";
      callId: string;
      blocks: Block[];
      failed: boolean;
      cacheHint?: Record<string, unknown> | null;
    };

export type ToolForm = {
  name: string;
  description: string | null;
  schema: Record<string, unknown>;
  strict: boolean | null;
  cacheHint: Record<string, unknown> | null;
};

export type ToolChoice = { kind: "auto" | "none" | "required" } | { kind: "tool"; name: string };

export type OutputFormat =
  | { kind: "json" }
  | {
      kind: "schema";
      name: string;
      description: string | null;
      schema: Record<string, unknown>;
      strict: boolean | null;
    };

/** How much the model may think, and whether the caller wants to read it. */
export type ThinkingForm = { effort: Effort | null; shown: boolean };

export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];
