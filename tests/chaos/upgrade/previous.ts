import { spawnSync } from "node:child_process";

/** Until a version is tagged: the commit with migration 0025. Databases of earlier ones are not adopted. */
const FIRST_KEPT = "46bf160b";

/** The newest version that is tagged, or the commit that stands for it. */
export const previousVersion = (): string => newestTag() ?? FIRST_KEPT;

/** That of this commit is no previous version. */
function newestTag(): string | null {
  const words = ["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^"];
  const { status, stdout } = spawnSync("git", words, { cwd: import.meta.dirname, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}
