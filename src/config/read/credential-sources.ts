import { isSameFile, readSecretFile, readTextFile, reasonOf } from "./read-text-file.ts";
import { type Environment, isOwnVariable, knownVariables } from "./variable-names.ts";

/** What the credentials of providers are read from, and what of it is Tollgate's own and so none of theirs. */
export const credentialSources = (environment: Environment) => ({
  variable: (name: string): string | undefined => environment[name],
  isOwnVariable,
  /** Throws with the reason alone, when the file cannot be read. */
  readFile: (path: string): string => {
    try {
      return readSecretFile(path, readTextFile);
    } catch (cause) {
      throw new Error(reasonOf(cause), { cause });
    }
  },
  /** Whether one of our own settings is read from there. */
  isOwnFile: (path: string): boolean =>
    knownVariables().some((name) => {
      const own = name.endsWith("_FILE") ? environment[name] : undefined;
      return own !== undefined && own !== "" && isSameFile(own, path);
    }),
});
