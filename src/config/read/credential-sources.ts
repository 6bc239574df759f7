import { isSameFile, readSecretFile, readTextFile, reasonOf } from "./read-text-file.ts";
import { readFile, stat } from "node:fs/promises";
import { type Environment, IDENTITY_FILES, isOwnVariable, knownVariables } from "./variable-names.ts";

/** More than any key file of a cloud has. */
const MOST_BYTES = 65_536;

/** What the credentials of providers are read from, and what of it is Tollgate's own and so none of theirs. */
export const credentialSources = (environment: Environment) => ({
  variable: (name: string): string | undefined => environment[name],
  ambient: {
    variable: (name: string): string | undefined => environment[name],
    readFile: async (path: string): Promise<string> => {
      const { size } = await stat(path);
      if (size > MOST_BYTES) throw new Error(`larger than ${MOST_BYTES} bytes`);
      return readFile(path, "utf8");
    },
    nowMs: () => Date.now(),
  },
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
    [...knownVariables(), ...IDENTITY_FILES].some((name) => {
      const own = name.endsWith("_FILE") || IDENTITY_FILES.includes(name) ? environment[name] : undefined;
      return own !== undefined && own !== "" && isSameFile(own, path);
    }),
});
