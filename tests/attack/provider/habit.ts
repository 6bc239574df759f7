import type { Format, Json } from "../formats.ts";

/** How a provider ends an answer that it does not finish. */
export type Failure = "content_filter" | "overloaded" | "reset" | "close";

/** What a provider does for one of its models. Every count is of tokens. */
export type Habit = {
  /** Words the caller can see. */
  tokens: number;
  /**
   * What the words are: an answer, the arguments of a tool, thoughts that are shown, names of tools, or something that formats have in a place
   * of its own, such as parts of content, compactions and items without deltas.
   */
  as: "text" | "tool" | "thoughts" | "names" | "unlisted";
  /**
   * Events for each piece, by the format of the provider, instead of those that `as` names. In them %TEXT% is the piece, "%NUMBERS%" a list of as
   * many numbers as it has tokens, "%PLACE%" how many tokens there are so far and "%CHOICE%" the choice. A text is sent as it is.
   */
  events: Partial<Record<Format, readonly (Json | string)[]>>;
  /** Writes as much as it likes, whatever the limit. */
  limitless: boolean;
  /** Reasoning that nobody sees, produced before the first word. */
  hidden: number;
  /** Tokens per second; 0 is at once. */
  rate: number;
  /** Tokens of one piece, where they come at once. */
  burst: number;
  /**
   * After so many words of each choice it waits until its caller is gone; null: it goes on. What it makes between a departure and the news of
   * it is nobody's to charge, and on a busy machine that would be any amount.
   */
  holdAfter: number | null;
  /** Time before the status, spent on reading the prompt. */
  startMs: number;
  /** Whether usage is reported, and figures that stand in for the true ones. Input can be told as written to a cache, or as read from one. */
  usage: "true" | "none" | "cache_writes" | "cache_reads" | Json;
  /** The last events repeat nothing of the answer. */
  hollow: boolean;
  /** Ends the answer after so many words; with `when`, only where the request has this text in it. */
  fail: { after: number; how: Failure; when?: string } | null;
  /** Repeats the request's members in the first and last event, as responses do. */
  echo: boolean;
  /** Leaves out the reason why the answer ended and the closing mark. */
  abrupt: boolean;
  /** Input it counts beside the text: pictures and documents it fetches. */
  mediaTokens: number;
  /** Refuses with this status and body, in which %PROMPT% is the first text of the request; with `when`, only where the request has this text in it. */
  refuse: { status: number; body: Json; when?: string } | null;
};

export const ORDINARY: Habit = {
  tokens: 300,
  as: "text",
  events: {},
  burst: 50,
  limitless: false,
  hidden: 0,
  rate: 100,
  holdAfter: null,
  startMs: 0,
  usage: "true",
  hollow: false,
  fail: null,
  echo: true,
  abrupt: false,
  mediaTokens: 0,
  refuse: null,
};

/** What the provider wrote down about a request, at the moment it ended or was stopped. */
export type ProviderCall = {
  seq: number;
  model: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** As received; shortened when very long. */
  body: string;
  bodyBytes: number;
  inputTokens: number;
  visibleTokens: number;
  hiddenTokens: number;
  ended: "completed" | "failed" | "stopped" | null;
};
