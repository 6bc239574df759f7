import { ConfigError } from "./config-error.ts";
import { type ReadFile, reasonOf } from "./read-text-file.ts";
import { createSecret, readSecretFile, type Secret } from "./secret.ts";
import { type Environment, isOwnVariable } from "./variable-names.ts";

/** Finds the credential of a provider; null when the provider asks for none. */
export type Credentials = (reference: string) => Secret | null;

/**
 * Resolves `env:NAME`, `file:/path` and `none`. References are stored in the catalogue, so whoever may edit the catalogue
 * could name any variable: those of Tollgate itself are refused, or the admin token could be mailed to a "provider".
 */
export function createCredentials(parts: { environment: Environment; readFile: ReadFile }): Credentials {
  return (reference) => {
    if (reference === "none") return null;
    const [, scheme, name = ""] = /^(env|file):(.+)$/.exec(reference) ?? [];
    if (scheme === "env" && /^\w{1,128}$/.test(name)) return fromEnvironment(name, parts.environment);
    if (scheme === "file" && name.startsWith("/")) return fromFile(name, parts.readFile);
    // The text is not repeated: what is no reference may well be the credential itself.
    throw unusable("a credential reference", "must be `env:NAME`, `file:/absolute/path` or `none`.");
  };
}

function fromEnvironment(name: string, environment: Environment): Secret {
  const reference = `env:${name}`;
  if (isOwnVariable(name)) throw unusable(reference, "names a variable that belongs to Tollgate itself.");
  const value = environment[name];
  if (value === undefined || value === "") throw unusable(reference, "names a variable that is not set.");
  return createSecret(value);
}

function fromFile(path: string, readFile: ReadFile): Secret {
  const reference = `file:${path}`;
  let value: string;
  try {
    value = readSecretFile(path, readFile);
  } catch (error) {
    throw unusable(reference, `names a file that cannot be read (${reasonOf(error)}).`);
  }
  if (value === "") throw unusable(reference, "names an empty file.");
  return createSecret(value);
}

const unusable = (source: string, message: string): ConfigError => new ConfigError([{ path: null, source, message }]);
