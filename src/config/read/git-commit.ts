import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const COMMIT = /^[0-9a-f]{40}$/;

/**
 * The commit that is checked out in this folder; null: it is no clone. Reads the files of git and starts no program. Folders above are not
 * looked at, since a package may be installed inside a repository that is not ours.
 */
export function readGitCommit(root: URL): string | null {
  const folder = gitFolderOf(fileURLToPath(root));
  if (folder === null) return null;
  const head = textOf(join(folder, "HEAD")) ?? "";
  const [, ref] = /^ref: (\S+)$/.exec(head) ?? [];
  const commit = ref === undefined ? head : commitOf(ref, folder);
  return commit !== null && COMMIT.test(commit) ? commit : null;
}

/** In a further work tree, `.git` is a file that names the folder. */
function gitFolderOf(root: string): string | null {
  const place = join(root, ".git");
  if (textOf(join(place, "HEAD")) !== null) return place;
  const [, named] = /^gitdir: (.+)$/.exec(textOf(place) ?? "") ?? [];
  return named === undefined ? null : resolve(root, named);
}

/** Branches are with the main work tree, each in a file of its own or in one with others. */
function commitOf(ref: string, folder: string): string | null {
  const home = resolve(folder, textOf(join(folder, "commondir")) ?? ".");
  const packed = textOf(join(home, "packed-refs"))?.split("\n") ?? [];
  return (
    textOf(join(folder, ref)) ??
    textOf(join(home, ref)) ??
    packed.find((line) => line.endsWith(` ${ref}`))?.split(" ")[0] ??
    null
  );
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}
