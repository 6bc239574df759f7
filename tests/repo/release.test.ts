import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cutChangelog } from "../../scripts/release/changelog.ts";
import { type Lock, missingInBom, productionBom, provenanceOf } from "../../scripts/release/statements.ts";

const ROOT = join(import.meta.dirname, "../..");
const CHANGELOG =
  "# Changelog\n\nWhat changed.\n\n## Unreleased\n\n### Added\n\n- One thing,\n  in two lines.\n\n## 0.1.0 (2026-01-01)\n\n### Added\n\n- All of it.\n";
const cut = (fragments: { name: string; text: string }[], version = "0.2.0") =>
  cutChangelog({ changelog: CHANGELOG, fragments, version, date: "2026-02-03" });

test("a version's section has the unreleased entries and every fragment, by kind", () => {
  const { changelog, section } = cut([
    { name: "b.md", text: "kind: fixed\n\nA bug\nis gone.\n" },
    { name: "a.md", text: "kind: added\n\nAnother thing.\n" },
  ]);

  expect(section).toBe(
    "## 0.2.0 (2026-02-03)\n\n### Added\n\n- One thing,\n  in two lines.\n- Another thing.\n\n### Fixed\n\n- A bug is gone.\n",
  );
  expect(changelog.match(/^## .*$/gm)).toEqual(["## Unreleased", "## 0.2.0 (2026-02-03)", "## 0.1.0 (2026-01-01)"]);
});

test("a fragment without a known kind is named", () => {
  expect(() => cut([{ name: "odd.md", text: "kind: news\n\nSomething.\n" }])).toThrow(
    /changes\/odd\.md must begin with/,
  );
});

test("a version that was cut before is taken as it is, unless fragments were added since", () => {
  expect(cut([], "0.1.0").changelog).toBe(CHANGELOG);
  expect(() => cut([{ name: "late.md", text: "kind: fixed\n\nLate.\n" }], "0.1.0")).toThrow(/1 fragments more/);
});

test("every fragment of this tree can be cut", () => {
  const names = globSync("*.md", { cwd: join(ROOT, "changes") }).filter((name) => name !== "README.md");
  const fragments = names.map((name) => ({ name, text: readFileSync(join(ROOT, "changes", name), "utf8") }));
  const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");

  const { section } = cutChangelog({ changelog, fragments, version: "99.0.0", date: "2026-02-03" });

  expect(section.match(/^- /gm)?.length).toBeGreaterThanOrEqual(fragments.length);
});

test("the SBOM names what the lockfile installs in production, with a hash each, and nothing else", () => {
  const words = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const { stdout } = spawnSync("npm", words, { cwd: ROOT, encoding: "utf8" });
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as Lock;
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { dependencies: object };
  const read = () => productionBom(stdout, lock, { name: "tollgate", date: "2026-02-03T00:00:00.000Z" });
  const { bom, text } = read();
  const names = bom.components.map(({ name }) => name);

  expect(bom.metadata.component).toMatchObject({ name: "tollgate", type: "application" });
  expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  expect(names).not.toContain("vitest");
  expect(missingInBom(bom, lock)).toEqual([]);
  expect(bom.components.filter(({ hashes }) => hashes === undefined)).toEqual([]);
  expect(missingInBom({ ...bom, components: bom.components.slice(1) }, lock)).toHaveLength(1);
  expect(read().text).toBe(text);
});

test("the provenance names the digest of every file, the commit and the lockfile", () => {
  const statement = provenanceOf([{ name: "tollgate-1.0.0.tgz", sha256: "aa" }], {
    version: "1.0.0",
    commit: "cc",
    lockfileSha256: "bb",
    builder: "urn:tollgate:local",
    versions: { node: "v26" },
    finishedOn: "2026-02-03T00:00:00.000Z",
  });

  expect(statement).toMatchObject({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: "tollgate-1.0.0.tgz", digest: { sha256: "aa" } }],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: { resolvedDependencies: [{ digest: { gitCommit: "cc" } }, { digest: { sha256: "bb" } }] },
    },
  });
});

test("a release without a version, or with one that is none, is refused with exit code 2", () => {
  const run = (...words: string[]) =>
    spawnSync(process.execPath, ["scripts/release.ts", ...words], { cwd: ROOT, encoding: "utf8" });

  expect(run("--out", "nowhere")).toMatchObject({ status: 2, stderr: "release: --version is missing; --help lists the options\n" }); // prettier-ignore
  expect(run("--version", "next", "--out", "nowhere")).toMatchObject({ status: 2, stderr: expect.stringMatching(/^release: next is not a version/) as string }); // prettier-ignore
});
