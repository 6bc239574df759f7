import { existsSync, readFileSync } from "node:fs";
import { packageVersion } from "./package-version.ts";
import { readGitCommit } from "./read/git-commit.ts";

/** `commit`: all 40 digits; null where nobody can tell. */
export type BuildInfo = { version: string; commit: string | null };

const SHOWN_DIGITS = 12;

/** What runs here. A package says what it was built from; a clone is asked. Read once, where a process starts. */
export function buildInfo(): BuildInfo {
  const written = new URL("../build.json", import.meta.url);
  const commit = existsSync(written)
    ? (JSON.parse(readFileSync(written, "utf8")) as { commit: string | null }).commit
    : readGitCommit(new URL("../../", import.meta.url));
  return { version: packageVersion(), commit };
}

/** For people; the version is its first word. */
export const buildName = ({ version, commit }: BuildInfo): string =>
  commit === null ? version : `${version} (${commit.slice(0, SHOWN_DIGITS)})`;
