import { spawnSync } from "node:child_process";

/**
 * Until a version is tagged: the commit by which the ledger was drawn with chains of counters. Migrations before it were drawn anew,
 * so that no database of an earlier one can be migrated. Null: that commit is not named yet.
 */
const FIRST_KEPT: string | null = null;

export const NO_PREVIOUS =
  "no earlier version has migrations that this one keeps, so nothing was tried. Name one in tests/chaos/upgrade/previous.ts or with --from REF";

/** The newest version that is tagged, or the commit that stands for it; null when there is none yet. */
export const previousVersion = (): string | null => newestTag() ?? FIRST_KEPT;

/** That of this commit is no previous version. */
function newestTag(): string | null {
  const words = ["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^"];
  const { status, stdout } = spawnSync("git", words, { cwd: import.meta.dirname, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}
