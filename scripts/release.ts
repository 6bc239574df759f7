/** Cuts a version into a folder: package, chart, SBOM, provenance, checksums, changelog. Publishes nothing and tags nothing. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Cut, cutTree } from "./release/cut.ts";
import { type Lock, missingInBom, productionBom, provenanceOf, type Subject } from "./release/statements.ts";

const HELP = `scripts/release.ts --version VERSION --out FOLDER [--builder URI] [--json]

  Cuts a version of this commit into an empty folder. The tree must have no uncommitted changes. Nothing is published or tagged.

  tollgate-VERSION.tgz         the package, as npm installs it
  tollgate-chart-VERSION.tgz   the Helm chart
  sbom.cdx.json                every package it installs, as CycloneDX
  RELEASE_NOTES.md             the section of the changelog, from CHANGELOG.md and changes/
  release.patch                what turns this commit into the version: git apply release.patch
  provenance.intoto.json       what was built from what (in-toto, SLSA 1.0), unsigned
  SHA256SUMS                   for sha256sum --check

  --builder URI   who builds it, for the provenance; default urn:tollgate:local
  --json          print the files and their digests as JSON
`;

class Refusal extends Error {}

const ROOT = join(import.meta.dirname, "..");
const run = (program: string, args: string[], cwd: string): string =>
  execFileSync(program, args, { cwd, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
const git = (...words: string[]): string => run("git", words, ROOT).trim();
const sha256 = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

try {
  const { values } = parseArgs({
    options: {
      version: { type: "string" },
      out: { type: "string" },
      builder: { type: "string", default: "urn:tollgate:local" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) console.log(HELP);
  else {
    const files = release(
      required(values.version, "--version"),
      resolve(required(values.out, "--out")),
      values.builder,
    );
    if (values.json) console.log(JSON.stringify({ version: values.version, files }, null, 2));
    else for (const { name, sha256: digest } of files) console.log(`${digest}  ${name}`);
  }
} catch (error) {
  const wrongUse = error instanceof Refusal || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
  if (!wrongUse) throw error;
  console.error(`release: ${(error as Error).message}`);
  process.exitCode = 2;
}

function required(value: string | undefined, flag: string): string {
  if (value === undefined) throw new Refusal(`${flag} is missing; --help lists the options`);
  return value;
}

function release(version: string, out: string, builder: string): Subject[] {
  if (!/^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/.test(version))
    throw new Refusal(`${version} is not a version such as 1.4.0 or 1.4.0-rc.1`);
  const changed = git("status", "--porcelain").split("\n").filter((line) => line !== ""); // prettier-ignore
  if (changed.length > 0)
    throw new Refusal(
      `${changed.length} files are not committed, ${changed[0]?.slice(3)} first. Commit or remove them.`,
    );
  if (existsSync(out) && readdirSync(out).length > 0) throw new Refusal(`${out} is not empty`);
  mkdirSync(out, { recursive: true });
  const seconds = Number(git("log", "-1", "--format=%ct"));
  const date = new Date(seconds * 1_000).toISOString();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-release-"));
  try {
    const cut = cutTree({ folder, version, date: date.slice(0, 10) });
    build(cut, { version, out, date, seconds });
    state({ version, out, builder, lockfile: join(cut.tree, "package-lock.json") });
    return subjects(out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function build(
  { tree, section, patch }: Cut,
  to: { version: string; out: string; date: string; seconds: number },
): void {
  const { version, out, date, seconds } = to;
  const pack = ["pack", "--silent", "--pack-destination", out];
  // The tree is no clone any more.
  execFileSync("npm", pack, { cwd: tree, env: { ...process.env, BUILD_COMMIT: git("rev-parse", "HEAD") } });
  const chart = join(out, `tollgate-chart-${version}.tgz`);
  const tar = ["--sort=name", `--mtime=@${seconds}`, "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  run(
    "tar",
    [...tar, "--exclude=tollgate/ci", "--use-compress-program=gzip -n", "-cf", chart, "tollgate"],
    join(tree, "deploy/helm"),
  );
  const listed = run("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], tree);
  const lock = JSON.parse(readFileSync(join(tree, "package-lock.json"), "utf8")) as Lock;
  const { text, bom } = productionBom(listed, lock, { name: "tollgate", date });
  const missing = missingInBom(bom, lock);
  if (missing.length > 0) throw new Error(`the SBOM lacks ${missing.join(", ")}`);
  writeFileSync(join(out, "sbom.cdx.json"), text);
  writeFileSync(join(out, "RELEASE_NOTES.md"), section);
  writeFileSync(join(out, "release.patch"), patch);
}

/** Says what was built from what, and then the digest of everything. */
function state({
  version,
  out,
  builder,
  lockfile,
}: {
  version: string;
  out: string;
  builder: string;
  lockfile: string;
}): void {
  const statement = provenanceOf(subjects(out), {
    version,
    builder,
    commit: git("rev-parse", "HEAD"),
    lockfileSha256: sha256(lockfile),
    versions: { node: process.version, npm: run("npm", ["--version"], ROOT).trim() },
    finishedOn: new Date().toISOString(),
  });
  writeFileSync(join(out, "provenance.intoto.json"), `${JSON.stringify(statement, null, 2)}\n`);
  const sums = subjects(out).map(({ name, sha256: digest }) => `${digest}  ${name}\n`);
  writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
}

function subjects(out: string): Subject[] {
  return readdirSync(out)
    .toSorted()
    .map((name) => ({ name, sha256: sha256(join(out, name)) }));
}
