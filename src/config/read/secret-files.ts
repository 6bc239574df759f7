import { listFields } from "../fields.ts";
import type { LoadedConfig } from "../load-config.ts";
import type { Environment } from "./variable-names.ts";

/** The files that secrets of the settings were read from: those that variables name, and a settings file with secrets in it. */
export function secretFilesOf({ sources }: Pick<LoadedConfig, "sources">, environment: Environment): string[] {
  const files = listFields().flatMap(({ path, secret }) => {
    const source = secret ? sources.get(path) : undefined;
    if (source?.kind === "file") return [source.path];
    const named =
      source?.kind === "environment" && source.name.endsWith("_FILE") ? environment[source.name] : undefined;
    return named === undefined ? [] : [named];
  });
  return [...new Set(files)];
}
