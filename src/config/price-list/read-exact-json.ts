import { isObject } from "../../core/is-object.ts";
import { ConfigError } from "../config-error.ts";

/** A number as it was written: a float would round a price before anybody saw it. */
export type NumberText = { numberText: string };

const MAX_DEPTH = 16;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/gs;

/** Reads a JSON object with its numbers as text. A member that is named twice is refused: one of the two is not meant. */
export function readExactJson(text: string, path: string): Record<string, unknown> {
  const problem = findDuplicate(text);
  if (problem !== null) throw refusal(path, problem);
  const value = parse(text, path);
  if (!isObject(value)) throw refusal(path, "is not a JSON object");
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
  } catch (error) {
    throw refusal(path, `is not JSON (${error instanceof Error ? error.message : "unreadable"})`);
  }
}

type Level = { names: Set<string>; name: string };

/** Walks the text by its strings and brackets alone; whether they stand where they may is for the parser to say. */
function findDuplicate(text: string): string | null {
  const levels: Level[] = [];
  let latest = "";
  for (const [token] of text.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token === "{" || token === "[") levels.push({ names: new Set(), name: "" });
    else if (token === "}" || token === "]") levels.pop();
    else if (token !== ":") latest = token;
    else if (level !== undefined) {
      level.name = nameOf(latest);
      if (level.names.has(level.name)) return `names ${levels.map(({ name }) => name).join(".")} twice`;
      level.names.add(level.name);
    }
    if (levels.length > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} deep`;
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

const SHOWN_CHARACTERS = 200;

/** What a stranger's file says must not command the terminal that it is told on. */
const refusal = (path: string, message: string): ConfigError =>
  new ConfigError([
    { path: null, source: path, message: message.replaceAll(/\p{Cc}/gu, "�").slice(0, SHOWN_CHARACTERS) },
  ]);
