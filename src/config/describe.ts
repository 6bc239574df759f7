import { type Field, listFields } from "./fields.ts";
import { camelCase, type Config, type Sources } from "./load-config.ts";
import { SECRET_TEXT } from "../core/secret/secret.ts";
import { describeSource, type SettingSource } from "./source.ts";

/** A setting as an operator sees it. */
export type ConfigRow = {
  path: string;
  value: string;
  source: string;
  environment: string;
  description: string;
  /** What is in force where nobody says anything else. */
  fallback: string;
  secret: boolean;
  /** Which kind of place the value came from; `source` names it. */
  from: SettingSource["kind"];
};

export const UNSET = "unset";

/** Every setting with its value and where that came from. A secret says only whether it is set. */
export function describeConfig(config: Config, sources: Sources): ConfigRow[] {
  return listFields().map((field) => {
    const source = sources.get(field.path) ?? { kind: "default" };
    return {
      path: field.path,
      value: shown(field, config),
      source: describeSource(source),
      environment: field.environment,
      description: field.description,
      fallback: field.fallback === null ? UNSET : String(field.fallback),
      secret: field.secret,
      from: source.kind,
    };
  });
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
