import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../core/bytes/is-object.ts";
import { CannotEdit } from "./cannot-edit.ts";

export type JsonValue = string | number | { [name: string]: JsonValue };
/** What is to stand at a path of names. */
export type JsonSetting = { path: readonly [string, ...string[]]; value: JsonValue };

type Span = { start: number; end: number };
type Member = { name: string; key: Span; value: Span };
type ObjectSpan = Span & { members: Member[] };

/** White space and comments, as the settings files of editors have them. */
const TRIVIA = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^\s,}\]/]+/y;
const BLANK = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)+|"(?:[^"\\]|\\.)*"|,(?=(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*[}\]])/g;

/**
 * Sets members of a JSON object and leaves every other byte as it is: order, indentation, comments and trailing commas. What
 * was written is read again and held against what was meant, so that a file this does not understand is refused.
 */
export function setJson(text: string, settings: readonly JsonSetting[]): string {
  const meant = valueOf(text.trim() === "" ? "{}" : text);
  let written = text.trim() === "" ? "{}\n" : text;
  for (const { path, value } of settings) {
    put(meant, path, value);
    written = setOne(written, path, value);
  }
  if (!isDeepStrictEqual(valueOf(written), meant)) throw new CannotEdit("its layout is unusual");
  return written;
}

/** The object of a text with comments and trailing commas. */
export function valueOf(text: string): Record<string, unknown> {
  try {
    const plain = text.replace(/^\uFEFF/, "").replace(BLANK, (part) => (part.startsWith('"') ? part : " "));
    const value: unknown = JSON.parse(plain);
    if (isObject(value)) return value;
  } catch {
    throw new CannotEdit("it is not valid JSON");
  }
  throw new CannotEdit("it is not a JSON object");
}

function put(target: Record<string, unknown>, [name, ...rest]: readonly string[], value: JsonValue): void {
  if (name === undefined) return;
  if (rest.length === 0) target[name] = value;
  else {
    const inner = target[name] ?? {};
    if (!isObject(inner)) throw new CannotEdit(`its member ${JSON.stringify(name)} is not an object`);
    target[name] = inner;
    put(inner, rest, value);
  }
}

function setOne(text: string, path: readonly string[], value: JsonValue): string {
  let object = objectAt(text, skip(TRIVIA, text, text.startsWith("\uFEFF") ? 1 : 0));
  for (const [depth, name] of path.entries()) {
    const rest = path.slice(depth + 1);
    // The last one counts where a name stands twice.
    const member = object.members.findLast((each) => each.name === name);
    if (member === undefined) return insert(text, object, name, nested(rest, value));
    if (rest.length === 0) return replace(text, object, member, value);
    object = objectAt(text, member.value.start);
  }
  return text;
}

const nested = (path: readonly string[], value: JsonValue): JsonValue =>
  path.reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value);

function replace(text: string, object: ObjectSpan, member: Member, value: JsonValue): string {
  const { start, end } = member.value;
  const before = text.slice(start, end);
  if (isDeepStrictEqual(valueOf(`{"value":${before}}`)["value"], value)) return text;
  return (
    text.slice(0, start) + layout(value, indentOf(text, member.key.start) ?? "", unitOf(text, object)) + text.slice(end)
  );
}

function insert(text: string, object: ObjectSpan, name: string, value: JsonValue): string {
  const unit = unitOf(text, object);
  const last = object.members.at(-1);
  const own = indentOf(text, object.start) ?? lineIndent(text, object.start);
  const indent = last === undefined ? own + unit : (indentOf(text, last.key.start) ?? null);
  const line = `${JSON.stringify(name)}: ${layout(value, indent ?? "", unit)}`;
  if (last === undefined) {
    return `${text.slice(0, object.start + 1)}\n${own}${unit}${line}\n${own}${text.slice(object.end - 1)}`;
  }
  const separator = indent === null ? " " : `\n${indent}`;
  const next = skip(TRIVIA, text, last.value.end);
  const at = text[next] === "," ? next + 1 : last.value.end;
  const comma = at === last.value.end ? "," : "";
  return text.slice(0, at) + comma + separator + line + text.slice(at);
}

const layout = (value: JsonValue, indent: string, unit: string): string =>
  JSON.stringify(value, null, unit).replaceAll("\n", `\n${indent}`);

/** What stands before a place on its line, when that is nothing but white space. */
function indentOf(text: string, at: number): string | null {
  const before = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return before.trim() === "" && text.lastIndexOf("\n", at - 1) >= 0 ? before : null;
}

const lineIndent = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))?.[0] ?? "";

function unitOf(text: string, { start, members }: ObjectSpan): string {
  const [first] = members;
  const inner = first === undefined ? null : indentOf(text, first.key.start);
  const outer = lineIndent(text, start);
  if (inner !== null && inner.length > outer.length && inner.startsWith(outer)) return inner.slice(outer.length);
  return /\n(\t| {2,8})"/.exec(text)?.[1] ?? "  ";
}

function objectAt(text: string, start: number): ObjectSpan {
  if (text[start] !== "{") throw new CannotEdit("a setting that should be an object is none");
  const members: Member[] = [];
  let at = skip(TRIVIA, text, start + 1);
  while (text[at] !== "}") {
    const key = { start: at, end: skip(STRING, text, at) };
    if (key.end === at) throw new CannotEdit("it is not valid JSON");
    at = skip(TRIVIA, text, key.end);
    const value = valueAt(text, skip(TRIVIA, text, at + 1));
    members.push({ name: JSON.parse(text.slice(key.start, key.end)) as string, key, value });
    at = skip(TRIVIA, text, value.end);
    if (text[at] === ",") at = skip(TRIVIA, text, at + 1);
  }
  return { start, end: at + 1, members };
}

function valueAt(text: string, start: number): Span {
  const first = text[start];
  if (first === "{") return objectAt(text, start);
  if (first !== "[") return { start, end: skip(first === '"' ? STRING : SCALAR, text, start) };
  let at = skip(TRIVIA, text, start + 1);
  while (text[at] !== "]") {
    const { end } = valueAt(text, at);
    if (end === at) throw new CannotEdit("it is not valid JSON");
    at = skip(TRIVIA, text, end);
    if (text[at] === ",") at = skip(TRIVIA, text, at + 1);
  }
  return { start, end: at + 1 };
}

/** Where a pattern ends that begins at a place; the place itself when it does not. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
