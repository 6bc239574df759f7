import { spawnSync } from "node:child_process";

/**
 * Until a version is tagged: the commit by which the ledger was drawn with chains of counters. Migrations before it were drawn anew,
 * so that no database of an earlier one can be migrated.
 */
const FIRST_KEPT = "a83ea28";

/** The newest version that is tagged, or the commit that stands for it. */
export const previousVersion = (): string => newestTag() ?? FIRST_KEPT;

/** That of this commit is no previous version. */
function newestTag(): string | null {
  const words = ["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^"];
  const { status, stdout } = spawnSync("git", words, { cwd: import.meta.dirname, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}
