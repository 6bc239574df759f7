import { type Field, listFields } from "./fields.ts";
import { camelCase, type Config, type Sources } from "./load-config.ts";
import { SECRET_TEXT } from "../core/secret.ts";
import { describeSource } from "./source.ts";

/** A setting as an operator sees it. */
export type ConfigRow = { path: string; value: string; source: string; environment: string; description: string };

const UNSET = "unset";

/** Every setting with its value and where that came from. A secret says only whether it is set. */
export function describeConfig(config: Config, sources: Sources): ConfigRow[] {
  return listFields().map((field) => ({
    path: field.path,
    value: shown(field, config),
    source: describeSource(sources.get(field.path) ?? { kind: "default" }),
    environment: field.environment,
    description: field.description,
  }));
}

function shown(field: Field, config: Config): string {
  const value = read(config, field);
  if (value === null || value === undefined) return UNSET;
  return field.secret ? SECRET_TEXT : `${value as string | number}`;
}

function read(config: Config, { group, key }: Field): unknown {
  const holder = group === null ? config : (config as Record<string, unknown>)[camelCase(group)];
  return (holder as Record<string, unknown>)[camelCase(key)];
}
