import { type TomlSettings, type TomlValues, tomlValue } from "../../wire/client-setup/toml.ts";
import { CannotEdit } from "./cannot-edit.ts";

type Line = { text: string; header: string | null; name: string | null; opens: boolean };

const HEADER = /^\s*(\[{1,2})([^[\]]+)\]{1,2}\s*(?:#.*)?$/;
const ASSIGNMENT = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=\s*(.*)$/;

/**
 * Sets names of a TOML file line by line and leaves all other lines as they are. There is no TOML library behind this, so
 * what cannot be told apart by lines is refused: texts over several lines, and our table written in another way.
 */
export function setToml(text: string, settings: TomlSettings): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = linesOf(text.replace(/\r?\n$/, "").split(/\r?\n/));
  requirePlain(lines, settings.table);
  const withTable = putTable(lines, settings);
  const all = putRoot(withTable, settings);
  return `${all.map((line) => line.text).join(newline)}${newline}`;
}

function linesOf(texts: readonly string[]): Line[] {
  let depth = 0;
  return texts.map((text) => {
    if (/"""|'''/.test(text)) throw new CannotEdit("it has texts over several lines");
    const within = depth > 0;
    const header = within ? null : (HEADER.exec(text)?.[2]?.trim() ?? null);
    const [, name = null, value = text] = (!within && header === null && ASSIGNMENT.exec(text)) || [];
    if (header === null) depth += nesting(value);
    return {
      text,
      header: header === null ? null : plainName(header),
      name: name === null ? null : plainName(name),
      opens: depth > 0,
    };
  });
}

/** How many brackets a line leaves open, without those in texts and comments. */
function nesting(value: string): number {
  const bare = value.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, "").replace(/#.*$/, "");
  return (bare.match(/[[{]/g)?.length ?? 0) - (bare.match(/[\]}]/g)?.length ?? 0);
}

const plainName = (name: string): string =>
  name
    .split(".")
    .map((part) => part.trim().replaceAll(/^["']|["']$/g, ""))
    .join(".");

function requirePlain(lines: readonly Line[], table: string): void {
  let within = "";
  for (const { header, name } of lines) {
    if (header !== null) within = header;
    if (name === null) continue;
    const full = within === "" ? name : `${within}.${name}`;
    const isOurs = full === table || full.startsWith(`${table}.`) || table.startsWith(`${full}.`);
    if (isOurs && within !== table) throw new CannotEdit(`it sets ${full} outside of a table [${table}]`);
  }
  const ours = lines.filter(({ header }) => header === table || header?.startsWith(`${table}.`));
  if (ours.length > 1) throw new CannotEdit(`it has more than one table under [${table}]`);
}

const plain = (text: string): Line => ({ text, header: null, name: null, opens: false });

/** The values of our table, in its place; names of it that we do not set stay. */
function putTable(lines: readonly Line[], { table, values, valuesIfPresent = {} }: TomlSettings): Line[] {
  const start = lines.findIndex(({ header }) => header === table);
  if (start < 0) {
    const blank = lines.at(-1)?.text === "" || lines.length === 0 ? [] : [plain("")];
    const body = Object.entries(values).map(([name, value]) => plain(`${name} = ${tomlValue(value)}`));
    return [...lines, ...blank, { ...plain(`[${table}]`), header: table }, ...body];
  }
  const after = lines.findIndex(({ header }, at) => at > start && header !== null);
  const end = after < 0 ? lines.length : after;
  const last = lines.slice(start, end).findLastIndex(({ text }) => text.trim() !== "") + start + 1;
  const body = lines.slice(start + 1, last);
  const present = Object.entries(valuesIfPresent).filter(([name]) => body.some((line) => line.name === name));
  const put = putValues(body, { ...values, ...Object.fromEntries(present) });
  return [...lines.slice(0, start + 1), ...put, ...lines.slice(last)];
}

function putRoot(lines: readonly Line[], { root, rootIfAbsent }: TomlSettings): Line[] {
  const first = lines.findIndex(({ header }) => header !== null);
  const top = lines.slice(0, first);
  const absent = Object.entries(rootIfAbsent).filter(([name]) => !top.some((line) => line.name === name));
  const end = top.findLastIndex(({ text }) => text.trim() !== "") + 1;
  const written = putValues(top.slice(0, end), { ...root, ...Object.fromEntries(absent) });
  const gap = end === top.length ? [plain("")] : top.slice(end);
  return [...written, ...gap, ...lines.slice(first)];
}

function putValues(lines: readonly Line[], values: TomlValues): Line[] {
  const put = lines.map((line) => {
    const value = line.name === null ? undefined : values[line.name];
    if (value === undefined) return line;
    if (line.opens) throw new CannotEdit(`its ${line.name ?? ""} spans several lines`);
    if (typeof value !== "string") return { ...line, text: `${line.name ?? ""} = ${value.toml}` };
    const [, before = "", given = "", comment = ""] =
      /^(\s*[^=]+=\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"']*)(\s*(?:#.*)?)$/.exec(line.text) ?? [];
    if (before === "") throw new CannotEdit(`its ${line.name ?? ""} has a value of another kind`);
    return given === tomlValue(value) || given === `'${value}'`
      ? line
      : { ...line, text: `${before}${tomlValue(value)}${comment}` };
  });
  const missing = Object.entries(values).filter(([name]) => !lines.some((line) => line.name === name));
  return [...put, ...missing.map(([name, value]) => plain(`${name} = ${tomlValue(value)}`))];
}
