import type { z } from "zod";
import { suggest } from "../core/text/suggest.ts";

type Issue = z.core.$ZodIssue;

/** What a mistake in a described value is called, without repeating free text, which could be a secret. */
export function explainIssue(issue: Issue): string {
  const given = issue.input;
  if (given === undefined && issue.code !== "custom") return "is required.";
  if (/^(Input|List|Field) /.test(issue.message)) return sentence(issue.message);
  switch (issue.code) {
    case "invalid_type":
      return `expected ${kindOf(issue.expected)}, got ${shown(given)}.`;
    case "invalid_value":
      return choices(issue.values.map(String), given);
    case "too_small":
    case "too_big":
      return size(issue);
    case "custom":
    case "invalid_element":
    case "invalid_format":
    case "invalid_key":
    case "invalid_union":
    case "not_multiple_of":
    case "unrecognized_keys":
    default:
      return "is not valid.";
  }
}

/** Messages that the admin API shares begin with what the input should be. */
const sentence = (message: string): string =>
  `${message
    .replace(/^Input should be /, "expected ")
    .replace(/^Input should /, "should ")
    .replace(/^List should /, "should ")
    .replace(/^Field required: /, "is required: ")}.`;

function choices(values: readonly string[], given: unknown): string {
  const meant = typeof given === "string" ? suggest(given, values) : null;
  const hint = meant === null ? "" : ` Did you mean \`${meant}\`?`;
  const got = typeof given === "string" ? "" : `, got ${shown(given)}`;
  return `expected ${listed(values.map((value) => `\`${value}\``))}${got}.${hint}`;
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

function size(issue: Extract<Issue, { code: "too_small" | "too_big" }>): string {
  const bound =
    issue.code === "too_small"
      ? `${issue.inclusive === false ? "more than" : "at least"} ${grouped(issue.minimum)}`
      : `at most ${grouped(issue.maximum)}`;
  if (issue.origin === "string") return `expected ${bound} characters.`;
  if (issue.origin === "array") return `expected ${bound} entries.`;
  return `expected ${bound}, got ${shown(issue.input)}.`;
}

const grouped = (bound: number | bigint): string => bound.toLocaleString("en-US");

const KINDS: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "text",
  boolean: "true or false",
  array: "a list",
  object: "a group of fields",
  record: "a group of fields",
};
const kindOf = (expected: string): string => KINDS[expected] ?? expected;

function shown(given: unknown): string {
  if (given === null) return "nothing";
  if (Array.isArray(given)) return "a list";
  if (typeof given === "object") return "a group of fields";
  return typeof given === "number" || typeof given === "boolean" ? String(given) : "text";
}
