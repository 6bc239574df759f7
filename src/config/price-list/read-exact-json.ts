import { isObject } from "../../core/bytes/is-object.ts";
import { ConfigError } from "../config-error.ts";

/** A number as it was written: a float would round a price before anybody saw it. */
export type NumberText = { numberText: string };

const MAX_DEPTH = 16;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/gs;

/** Reads a JSON object with its numbers as text. A member that is named twice is refused: one of the two is not meant. */
export function readExactJson(text: string, path: string): Record<string, unknown> {
  const problem = findDuplicate(text);
  if (problem !== null) throw refusal(`${path}:${placeIn(text, problem.offset)}`, problem.message);
  const value = parse(text, path);
  if (!isObject(value)) throw refusal(path, "the file must contain a JSON object.");
  return value;
}

export const isNumberText = (value: unknown): value is NumberText =>
  isObject(value) && typeof value["numberText"] === "string";

type Reviver = (name: string, value: unknown, context: { source?: string }) => unknown;

function parse(text: string, path: string): unknown {
  const keepNumbers: Reviver = (_, value, { source }) =>
    typeof value === "number" ? { numberText: source ?? String(value) } : value;
  try {
    return JSON.parse(text, keepNumbers as Parameters<typeof JSON.parse>[1]) as unknown;
  } catch {
    const offset = findBreak(text);
    const source = offset === null ? path : `${path}:${placeIn(text, offset)}`;
    const message =
      offset === text.length ? "the JSON ends too early; is the file complete?" : "this is not valid JSON.";
    throw refusal(source, message);
  }
}

type Level = { names: Set<string>; name: string };

type Duplicate = { message: string; offset: number };

/** Walks the text by its strings and brackets alone; whether they stand where they may is for the parser to say. */
function findDuplicate(text: string): Duplicate | null {
  const levels: Level[] = [];
  let latest = { token: "", offset: 0 };
  for (const { 0: token, index: offset } of text.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token === "{" || token === "[") levels.push({ names: new Set(), name: "" });
    else if (token === "}" || token === "]") levels.pop();
    else if (token !== ":") latest = { token, offset };
    else if (level !== undefined) {
      level.name = nameOf(latest.token);
      if (level.names.has(level.name))
        return {
          message: `${levels.map(({ name }) => name).join(".")} is given twice; keep one.`,
          offset: latest.offset,
        };
      level.names.add(level.name);
    }
    if (levels.length > MAX_DEPTH) return { message: `the JSON is nested more than ${MAX_DEPTH} levels deep.`, offset };
  }
  return null;
}

/** The same name can be written with escapes. */
function nameOf(token: string): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    return token;
  }
}

const LEXEMES = /\s+|"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/gsy;

/** Where text that is not JSON begins; its end where something is missing there; null where neither shows it. */
function findBreak(text: string): number | null {
  let depth = 0;
  let end = 0;
  for (const { 0: lexeme, index } of text.matchAll(LEXEMES)) {
    if (lexeme === "{" || lexeme === "[") depth += 1;
    else if (lexeme === "}" || lexeme === "]") depth -= 1;
    end = index + lexeme.length;
  }
  return end < text.length || depth > 0 ? end : null;
}

/** `3:5`, line and column. */
function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

const SHOWN_CHARACTERS = 200;

/** What a stranger's file says must not command the terminal that it is told on. */
const refusal = (path: string, message: string): ConfigError =>
  new ConfigError(
    [{ path: null, source: path, message: message.replaceAll(/\p{Cc}/gu, "�").slice(0, SHOWN_CHARACTERS) }],
    "price list",
  );
