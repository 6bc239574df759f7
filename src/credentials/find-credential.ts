import { realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { CredentialPlace, SealedCredential } from "../core/secret/sealed-credential.ts";
import { CredentialError } from "./credential-error.ts";
import type { CredentialVault } from "./credential-vault.ts";
import { createSecret, type Secret } from "../core/secret/secret.ts";

/** A provider as far as its credential is concerned. */
export type CredentialHolder = CredentialPlace & {
  credentialRef: string;
  /** Only where the reference is `stored`. */
  sealedCredential?: SealedCredential | null;
};

/** Finds the credential of a provider; null when the provider asks for none. */
export type FindCredential = (holder: CredentialHolder) => Secret | null;

/** What references lead to, as this process was given it. */
export type CredentialSources = {
  variable: (name: string) => string | undefined;
  /** Whether a variable belongs to Tollgate itself. */
  isOwnVariable: (name: string) => boolean;
  /** Throws with the reason alone, when the file cannot be read. */
  readFile: (path: string) => string;
  /** Whether a setting of Tollgate itself is read from there. */
  isOwnFile: (path: string) => boolean;
};

type Parts = {
  sources: CredentialSources;
  vault: CredentialVault;
  /** Below which files may be named. */
  directories: readonly string[];
  /** References with the origin that each may be sent to, as `env:NAME=https://host`; null: any to anybody. */
  allowed: readonly string[] | null;
};

/**
 * Resolves `env:NAME`, `file:/path`, `stored` and `none`. References are kept in the catalogue, so whoever may edit the
 * catalogue could name any variable: those of Tollgate itself are refused, or the admin token could be mailed to a "provider".
 * Files are taken only from the directories that the settings name, and never those of our own settings, for the same reason.
 * Where the settings say which reference goes where, it goes nowhere else.
 */
export function createFindCredential(parts: Parts): FindCredential {
  return (holder) => {
    const reference = holder.credentialRef;
    if (reference === "none") return null;
    if (reference === "stored") return fromVault(holder, parts.vault);
    const [, scheme, name = ""] = /^(env|file):(.+)$/.exec(reference) ?? [];
    if (scheme !== undefined) requireAllowed(holder, parts.allowed);
    if (scheme === "env" && /^\w{1,128}$/.test(name)) return fromEnvironment(name, parts.sources);
    if (scheme === "file" && name.startsWith("/")) return fromFile(name, parts);
    // The text is not repeated: what is no reference may well be the credential itself.
    throw unusable(
      "a credential reference",
      "must be `env:NAME`, `file:/absolute/path`, `stored`, `none`, `aws`, `aws:ROLE_ARN`, `google` or `entra`.",
    );
  };
}

function requireAllowed({ credentialRef, baseUrl }: CredentialHolder, allowed: Parts["allowed"]): void {
  const pair = `${credentialRef}=${new URL(baseUrl).origin}`;
  if (allowed === null || allowed.includes(pair)) return;
  throw unusable(
    credentialRef,
    `may not be sent to this address. Add ${pair} to the setting credential.allowed_references.`,
  );
}

function fromVault(holder: CredentialHolder, vault: CredentialVault): Secret {
  if (holder.sealedCredential) return vault.open(holder.sealedCredential, holder);
  const { provider } = holder;
  const command = `tollgate providers add ${provider} --url URL --credential-stdin --replace`;
  throw new CredentialError(`no credential of ${provider} has been stored yet. Store it with \`${command}\`.`);
}

function fromEnvironment(name: string, { variable, isOwnVariable }: CredentialSources): Secret {
  const reference = `env:${name}`;
  if (isOwnVariable(name)) throw unusable(reference, "names a variable that belongs to Tollgate itself.");
  const value = variable(name);
  if (value === undefined || value === "") throw unusable(reference, "names a variable that is not set.");
  return createSecret(value);
}

function fromFile(given: string, { sources, directories }: Parts): Secret {
  const reference = `file:${given}`;
  const path = realPath(given);
  if (!directories.some((directory) => isBelow(path, realPath(directory)))) {
    const allowed = directories.length === 0 ? "which is empty" : directories.join(", ");
    throw unusable(reference, `names a file outside of the setting credential.directories (${allowed}).`);
  }
  if (sources.isOwnFile(path)) throw unusable(reference, "names a file that belongs to Tollgate itself.");
  let value: string;
  try {
    value = sources.readFile(path);
  } catch (error) {
    throw unusable(reference, `names a file that cannot be read (${(error as Error).message}).`);
  }
  if (value === "") throw unusable(reference, "names an empty file.");
  return createSecret(value);
}

/** Where a path leads once every link is followed; for what is not there, where it would lead without any. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

const isBelow = (path: string, directory: string): boolean =>
  path.startsWith(directory.endsWith(sep) ? directory : directory + sep);

const unusable = (source: string, message: string): CredentialError => new CredentialError(`${source} ${message}`);
