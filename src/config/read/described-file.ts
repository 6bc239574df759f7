import type { Document } from "yaml";
import type { z } from "zod";
import { isObject } from "../../core/bytes/is-object.ts";
import { suggest } from "../../core/text/suggest.ts";
import { ConfigError, type FileOfConfig, type Problem } from "../config-error.ts";
import { explainIssue } from "../explain-issue.ts";
import { createFieldsAt } from "../schema-fields.ts";
import { MOST_PROBLEMS, offsetAt, parseYaml } from "./yaml-text.ts";

const MAX_ALIASES = 100;

type FieldsAt = ReturnType<typeof createFieldsAt>;

/** Reads YAML or JSON that an operator wrote, by a schema. Lists everything wrong, each with its place. */
export function createReadFile<Schema extends z.ZodType>(
  schema: Schema,
  what: FileOfConfig,
): (text: string, path: string) => z.output<Schema> {
  const fieldsAt = createFieldsAt(schema);
  return (text, path) => {
    const { document, mistakes, placeOf } = parseYaml(text, { uniqueKeys: true });
    const sourceOf = (offset: number): string => `${path}:${placeOf(offset)}`;
    if (mistakes.length > 0)
      throw new ConfigError(
        mistakes.map(({ offset, message }) => ({ path: null, source: sourceOf(offset), message })),
        what,
      );
    const value = valueOf(document, { path, what });
    const parsed = schema.safeParse(value, { reportInput: true });
    if (parsed.success) return parsed.data;
    const problems = parsed.error.issues
      .slice(0, MOST_PROBLEMS)
      .flatMap((issue) => problemsOf(issue, { value, fieldsAt }));
    const placed = problems.map(({ at, ...problem }) => ({ offset: offsetAt(document, at), problem }));
    throw new ConfigError(
      placed
        .toSorted((one, other) => one.offset - other.offset)
        .map(({ offset, problem }) => ({ ...problem, source: sourceOf(offset) })),
      what,
    );
  };
}

type Found = Omit<Problem, "source"> & { at: readonly PropertyKey[] };

function problemsOf(issue: z.core.$ZodIssue, { value, fieldsAt }: { value: unknown; fieldsAt: FieldsAt }): Found[] {
  const names = issue.code === "unrecognized_keys" ? issue.keys : null;
  if (names === null) return [{ at: issue.path, path: named(issue.path, value) || null, message: explainIssue(issue) }];
  const known = fieldsAt(issue.path);
  return names.map((name) => {
    const meant = suggest(name, known);
    const at = [...issue.path, name];
    const field = named([...issue.path, printable(name)], value);
    return {
      at,
      path: field,
      message: `there is no such field.${meant === null ? "" : ` Did you mean \`${meant}\`?`}`,
    };
  });
}

/** `models[3] (gpt-4.1-mini).price.input`: entries of a list by their place, and by their own name where they have one. */
function named(path: readonly PropertyKey[], value: unknown): string {
  let inner = value;
  let text = "";
  for (const step of path) {
    inner = isObject(inner) || Array.isArray(inner) ? (inner as Record<PropertyKey, unknown>)[step] : undefined;
    if (typeof step === "number") text += `[${step}]${nameOf(inner)}`;
    else text += text === "" ? String(step) : `.${String(step)}`;
  }
  return text;
}

function nameOf(entry: unknown): string {
  if (!isObject(entry)) return "";
  const name = entry["id"] ?? entry["name"];
  return typeof name === "string" && /^[\x21-\x7e]{1,100}$/.test(name) ? ` (${name})` : "";
}

/** `{token:abc}` is one name to YAML, and its text a secret; only what looks like a name is repeated. */
const printable = (name: string): string => (/^[\w.-]{1,60}$/.test(name) ? name : "(a name that is not shown)");

/** Aliases within aliases could describe more than there is memory for. */
function valueOf(document: Document, { path, what }: { path: string; what: FileOfConfig }): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    const message = `the file uses more than ${MAX_ALIASES} aliases; write the values themselves.`;
    throw new ConfigError([{ path: null, source: path, message }], what);
  }
}
