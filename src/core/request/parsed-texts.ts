/**
 * Texts that clients parse. Their wording is part of the interface: a client takes a number out of it, or chooses what to do
 * next by it. Every message that contains one is built here, and `PARSED_TEXTS` lists who reads it and how.
 */

/** How long to wait, at the end of every `rate_limit_exceeded` message. */
export const tryAgainIn = (seconds: number): string => `Please try again in ${seconds}s.`;

/** A problem of one field of the request, after the field's path. [interface decision 10] */
export const fieldProblem = (path: string, problem: string): string => `${path}: ${problem}`;

/** What a field accepts, in the words of the messages format. [interface decision 10] */
export const inputShouldBe = (expected: string): string => `Input should be ${expected}`;

type ParsedText = {
  text: string;
  /** The version in which the pattern was found. */
  client: string;
  /** The client's own pattern. */
  pattern: RegExp;
  /** What the client does when it finds the pattern. */
  reaction: string;
};

export const PARSED_TEXTS: readonly ParsedText[] = [
  {
    text: tryAgainIn(41),
    client: "Codex 0.166.0",
    pattern: /try again in\s*(\d+(?:\.\d+)?)\s*(s|ms|seconds?)/i,
    reaction: "Waits that long before it retries after `rate_limit_exceeded`.",
  },
  {
    text: fieldProblem("messages.1.role", inputShouldBe("'user' or 'assistant'")),
    client: "Claude Code 2.1.325",
    pattern: /Input should be [\\'"`]{1,2}(?:user|assistant)\b.{0,2} or [\\'"`]{1,2}(?:user|assistant)\b/i,
    reaction: "Repeats the request without its `system` messages. After any other wording it gives up.",
  },
];
