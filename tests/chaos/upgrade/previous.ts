import { spawnSync } from "node:child_process";

/** Until a version is tagged: the first commit whose database functions later versions keep. */
const FIRST_KEPT = "3e02e10";
/** Until a version is tagged: the first commit that serves what arrives while it is leaving. */
const FIRST_SERVING = "b4a8d88";

/** The newest version that is tagged, or the commit that stands for it. */
export const previousVersion = (): string => newestTag() ?? FIRST_KEPT;

/** The same, for an update without a failed request. */
export const previousServing = (): string => newestTag() ?? FIRST_SERVING;

/** That of this commit is no previous version. */
function newestTag(): string | null {
  const words = ["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^"];
  const { status, stdout } = spawnSync("git", words, { cwd: import.meta.dirname, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}
