import type { CredentialPlace, SealedCredential } from "../core/sealed-credential.ts";
import { CredentialError } from "./credential-error.ts";
import type { CredentialVault } from "./credential-vault.ts";
import { isBelow, isSameFile, type ReadFile, realPath, reasonOf } from "./read-text-file.ts";
import { createSecret, readSecretFile, type Secret } from "./secret.ts";
import { type Environment, isOwnVariable, knownVariables } from "./variable-names.ts";

/** A provider as far as its credential is concerned. */
export type CredentialHolder = CredentialPlace & {
  credentialRef: string;
  /** Only where the reference is `stored`. */
  sealedCredential?: SealedCredential | null;
};

/** Finds the credential of a provider; null when the provider asks for none. */
export type Credentials = (holder: CredentialHolder) => Secret | null;

type Parts = {
  environment: Environment;
  readFile: ReadFile;
  vault: CredentialVault;
  /** Below which files may be named. */
  directories: readonly string[];
};

/**
 * Resolves `env:NAME`, `file:/path`, `stored` and `none`. References are kept in the catalogue, so whoever may edit the
 * catalogue could name any variable: those of Tollgate itself are refused, or the admin token could be mailed to a "provider".
 * Files are taken only from the directories that the settings name, for the same reason.
 */
export function createCredentials(parts: Parts): Credentials {
  return (holder) => {
    const reference = holder.credentialRef;
    if (reference === "none") return null;
    if (reference === "stored") return fromVault(holder, parts.vault);
    const [, scheme, name = ""] = /^(env|file):(.+)$/.exec(reference) ?? [];
    if (scheme === "env" && /^\w{1,128}$/.test(name)) return fromEnvironment(name, parts.environment);
    if (scheme === "file" && name.startsWith("/")) return fromFile(name, parts);
    // The text is not repeated: what is no reference may well be the credential itself.
    throw unusable("a credential reference", "must be `env:NAME`, `file:/absolute/path`, `stored` or `none`.");
  };
}

function fromVault(holder: CredentialHolder, vault: CredentialVault): Secret {
  if (holder.sealedCredential) return vault.open(holder.sealedCredential, holder);
  const { provider } = holder;
  const command = `tollgate providers add ${provider} --url URL --credential-stdin --replace`;
  throw new CredentialError(`no credential of ${provider} has been stored yet. Store it with \`${command}\`.`);
}

function fromEnvironment(name: string, environment: Environment): Secret {
  const reference = `env:${name}`;
  if (isOwnVariable(name)) throw unusable(reference, "names a variable that belongs to Tollgate itself.");
  const value = environment[name];
  if (value === undefined || value === "") throw unusable(reference, "names a variable that is not set.");
  return createSecret(value);
}

function fromFile(given: string, { readFile, environment, directories }: Parts): Secret {
  const reference = `file:${given}`;
  const path = realPath(given);
  if (!directories.some((directory) => isBelow(path, realPath(directory)))) {
    const allowed = directories.length === 0 ? "which is empty" : directories.join(", ");
    throw unusable(reference, `names a file outside of the setting credential.directories (${allowed}).`);
  }
  if (isOwnFile(path, environment)) throw unusable(reference, "names a file that belongs to Tollgate itself.");
  let value: string;
  try {
    value = readSecretFile(path, readFile);
  } catch (error) {
    throw unusable(reference, `names a file that cannot be read (${reasonOf(error)}).`);
  }
  if (value === "") throw unusable(reference, "names an empty file.");
  return createSecret(value);
}

/** Whether one of our own settings is read from there: whoever edits the catalogue must not have that sent to a "provider" either. */
const isOwnFile = (path: string, environment: Environment): boolean =>
  knownVariables().some((name) => {
    const own = name.endsWith("_FILE") ? environment[name] : undefined;
    return own !== undefined && own !== "" && isSameFile(own, path);
  });

const unusable = (source: string, message: string): CredentialError => new CredentialError(`${source} ${message}`);
