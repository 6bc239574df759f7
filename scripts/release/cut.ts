import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cutChangelog } from "./changelog.ts";

const ROOT = join(import.meta.dirname, "../..");

export type Cut = {
  /** The tree of the version, ready to be built. */
  tree: string;
  section: string;
  /** What `git apply` turns the commit into the version with; empty when it is the version already. */
  patch: string;
};

/** Makes the tree of a version from the commit: version numbers, the changelog with the fragments in it, and no fragments. */
export function cutTree(options: { folder: string; version: string; date: string }): Cut {
  const { folder, version, date } = options;
  const [before, tree] = [join(folder, "a"), join(folder, "b")];
  mkdirSync(before);
  const archive = execFileSync("git", ["archive", "HEAD"], { cwd: ROOT, maxBuffer: 1 << 30 });
  execFileSync("tar", ["-x", "-C", before], { input: archive });
  cpSync(before, tree, { recursive: true, verbatimSymlinks: true });

  const change = (file: string, edit: (text: string) => string): void =>
    writeFileSync(join(tree, file), edit(readFileSync(join(tree, file), "utf8")));
  const names = globSync("*.md", { cwd: join(tree, "changes") })
    .filter((name) => name !== "README.md")
    .toSorted();
  const fragments = names.map((name) => ({ name, text: readFileSync(join(tree, "changes", name), "utf8") }));
  const { changelog, section } = cutChangelog({
    changelog: readFileSync(join(tree, "CHANGELOG.md"), "utf8"),
    fragments,
    version,
    date,
  });
  change("CHANGELOG.md", () => changelog);
  for (const name of names) rmSync(join(tree, "changes", name));
  change("package.json", (text) => text.replace(/"version": "[^"]*"/, `"version": "${version}"`));
  // Its own version stands in the lockfile twice, before every other.
  let own = 0;
  change("package-lock.json", (text) =>
    text.replaceAll(/"version": "[^"]*"/g, (found) => ((own += 1) <= 2 ? `"version": "${version}"` : found)),
  );
  change("deploy/helm/tollgate/Chart.yaml", (text) =>
    text.replace(/^version: .*$/m, `version: ${version}`).replace(/^appVersion: .*$/m, `appVersion: "${version}"`),
  );

  // The folders' names are the prefixes that `git apply` expects.
  const words = ["diff", "--no-index", "--no-prefix", "--binary", "a", "b"];
  const { stdout: patch } = spawnSync("git", words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
  return { tree, section, patch };
}
