import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readGitCommit } from "./git-commit.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-commit-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (...words: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
const commitIn = (place: string): string | null => readGitCommit(pathToFileURL(`${place}/`));

function commit(): string {
  git("commit", "--allow-empty", "--message", "one");
  return git("rev-parse", "HEAD");
}

test("the commit of a clone is that of its branch, packed or not, or of its detached head", () => {
  git("init", "--quiet");
  expect(commitIn(folder)).toBeNull();
  const first = commit();
  expect(commitIn(folder)).toBe(first);
  git("pack-refs", "--all");
  expect(commitIn(folder)).toBe(first);
  const second = commit();
  expect(commitIn(folder)).toBe(second);
  git("checkout", "--quiet", "--detach", first);
  expect(commitIn(folder)).toBe(first);
});

test("a further work tree has the commit of its own branch", () => {
  git("init", "--quiet");
  const first = commit();
  git("worktree", "add", "--quiet", "-b", "other", "tree");
  commit();

  expect(commitIn(join(folder, "tree"))).toBe(first);
  git("pack-refs", "--all");
  expect(commitIn(join(folder, "tree"))).toBe(first);
});

test("a package has no commit, even inside a repository of somebody else", () => {
  git("init", "--quiet");
  commit();
  const inside = join(folder, "node_modules/tollgate");
  mkdirSync(inside, { recursive: true });

  expect(commitIn(inside)).toBeNull();
});

test("what cannot be read as a commit is none", () => {
  git("init", "--quiet");
  commit();
  cpSync(join(folder, ".git"), join(folder, "copy/.git"), { recursive: true });
  writeFileSync(join(folder, "copy/.git/HEAD"), "nonsense\n");

  expect(commitIn(join(folder, "copy"))).toBeNull();
});
