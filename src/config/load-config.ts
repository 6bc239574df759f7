import type { z } from "zod";
import { ConfigError, type Problem } from "./config-error.ts";
import { contradictionsIn } from "./contradictions.ts";
import { type Field, listFields } from "./fields.ts";
import { readEnvironment } from "./read/read-environment.ts";
import { isMissingFile, type ReadFile, readTextFile, reasonOf } from "./read/read-text-file.ts";
import { readYaml } from "./read/read-yaml.ts";
import type { Secret } from "../core/secret/secret.ts";
import { settings } from "./settings.ts";
import { type Entry, describeSource, type Findings, type SettingSource } from "./source.ts";
import { CONFIG_VARIABLE, type Environment, withoutServiceLinks } from "./read/variable-names.ts";

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;
type Camelised<Settings> = { readonly [Name in keyof Settings as CamelCase<Name>]: Settings[Name] };
type Grouped<Settings> = {
  readonly [Name in keyof Settings]: Settings[Name] extends string | number | Secret | null
    ? Settings[Name]
    : Camelised<Settings[Name]>;
};

/** The settings as the program uses them: checked, complete, and named as code is named. */
export type Config = Camelised<Grouped<z.output<typeof settings>>>;

/** Where each value came from, by the path of its setting. */
export type Sources = ReadonlyMap<string, SettingSource>;

export type LoadedConfig = { config: Config; sources: Sources; file: string | null };

const DEFAULT_FILE = "tollgate.yaml";
const FILE_BYTES = 1_048_576;

/**
 * Defaults, then the file, then the environment; the later wins. Throws a `ConfigError` that lists everything wrong. This is
 * the only place that looks at environment variables, and it looks once.
 */
export function loadConfig({
  options = {},
  environment,
  readFile = readTextFile,
}: {
  options?: { config?: string | undefined };
  environment: Environment;
  readFile?: ReadFile;
}): LoadedConfig {
  const variables = withoutServiceLinks(environment);
  const fromFile = readConfigFile({ option: options.config, variables, readFile });
  const fromEnvironment = readEnvironment(variables, readFile);

  const entries = new Map([...fromFile.entries, ...fromEnvironment.entries]);
  const parsed = settings.safeParse(nest(entries));
  const invalid = parsed.success ? [] : invalidSettings(parsed.error.issues, entries);
  const problems = [...fromFile.problems, ...fromEnvironment.problems, ...invalid];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);

  const sourceOf = (path: string): SettingSource => entries.get(path)?.source ?? { kind: "default" };
  const config = camelised(parsed.data);
  const contradictions = contradictionsIn(config, sourceOf);
  if (contradictions.length > 0) throw new ConfigError(contradictions);
  const sources = new Map(listFields().map(({ path }) => [path, sourceOf(path)]));
  return { config, sources, file: fromFile.file };
}

type FileReading = { option: string | undefined; variables: Environment; readFile: ReadFile };

function readConfigFile({ option, variables, readFile }: FileReading): Findings & { file: string | null } {
  const named = option ?? (variables[CONFIG_VARIABLE] || undefined);
  const path = named ?? DEFAULT_FILE;
  try {
    return { ...readYaml(readFile(path, FILE_BYTES), path), file: path };
  } catch (error) {
    if (named === undefined && isMissingFile(error)) return { entries: new Map(), problems: [], file: null };
    const namedBy = option === undefined ? CONFIG_VARIABLE : "--config";
    const message = `cannot be read (${reasonOf(error)}).${named === undefined ? "" : ` The path is from ${namedBy}.`}`;
    return { entries: new Map(), problems: [{ path: null, source: path, message }], file: path };
  }
}

/** Turns `limits.body_bytes` and its value into nested objects, as the schema wants them. */
function nest(entries: ReadonlyMap<string, Entry>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const { path, group, key } of listFields()) {
    const entry = entries.get(path);
    if (!entry) continue;
    if (group === null) root[key] = entry.value;
    else root[group] = { ...(root[group] as Record<string, unknown> | undefined), [key]: entry.value };
  }
  return root;
}

function invalidSettings(issues: readonly z.core.$ZodIssue[], entries: ReadonlyMap<string, Entry>): Problem[] {
  const paths = new Set(issues.map((issue) => issue.path.join(".")));
  return listFields().flatMap((field) => {
    const entry = paths.has(field.path) ? entries.get(field.path) : undefined;
    if (!entry) return [];
    const message = `expected ${field.expected}${shown(field, entry.value)}.`;
    return [{ path: field.path, source: describeSource(entry.source), message }];
  });
}

/** Numbers and choices are safe to repeat; free text may be a secret that landed in the wrong place. */
function shown(field: Field, value: unknown): string {
  if (value === null) return ", got nothing";
  if (typeof value === "object") return Array.isArray(value) ? ", got a list" : ", got a group";
  return field.kind === "text" ? "" : `, got ${JSON.stringify(value).slice(0, 40)}`;
}

function camelised(parsed: z.output<typeof settings>): Config {
  const rename = (value: object): object =>
    Object.freeze(Object.fromEntries(Object.entries(value).map(([name, inner]) => [camelCase(name), inner])));
  const isGroup = new Set(listFields().map((field) => field.group));
  const groups = Object.entries(parsed).map(([name, value]) => [
    name,
    isGroup.has(name) ? rename(value as object) : value,
  ]);
  return rename(Object.fromEntries(groups) as object) as Config;
}

export const camelCase = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
