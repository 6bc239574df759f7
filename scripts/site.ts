/**
 * Builds the documentation site into site/dist and checks it: `npm run site`. Its pages are the documents of docs/. The
 * generator, Astro Starlight, is installed into site/ when its lockfile has changed. `-- --base /tollgate/` builds a site that is
 * served from a folder; `-- --write-only` only writes the generator's input, and `-- --check-only` only checks what is built.
 * `-- --look FOLDER` also opens pages in a browser, in two widths and both themes, and writes pictures of them.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { checkBuilt } from "./site/check-built.ts";
import { collectPages } from "./site/collect-pages.ts";
import { readContents } from "./site/contents.ts";
import { lookAtSite } from "./site/look.ts";
import { llmsFiles } from "./site/llms.ts";
import { createSidebar } from "./site/sidebar.ts";
import { writePage } from "./site/site-page.ts";

const ROOT = join(import.meta.dirname, "..");
const SITE = join(ROOT, "site");
const GENERATED = join(SITE, ".generated");

const { values } = parseArgs({
  options: {
    base: { type: "string", default: "/" },
    "write-only": { type: "boolean", default: false },
    "check-only": { type: "boolean", default: false },
    look: { type: "string" },
  },
});
const base = `/${values.base}/`.replaceAll(/\/+/g, "/");

if (!values["check-only"]) {
  writeInput();
  if (values["write-only"]) process.exit(0);
  install();
  execFileSync(join(SITE, "node_modules/.bin/astro"), ["build", "--silent"], {
    cwd: SITE,
    stdio: "inherit",
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: "1" },
  });
}

const LOOKED_AT = [
  "",
  "contents/",
  "start/first-token/",
  "guides/hand-out-keys/",
  "reference/errors/",
  "reference/commands/",
  "reference/settings/",
  "api/public/",
  "api/admin/keys/",
  "api/public/openai-compatible-format-a/",
  "explain/how-money-works/",
  "explain/comparison/",
  "explain/growing/",
  "operate/high-availability/",
  "bench/",
  "no-such-page/",
];

const { problems, pages, links, anchors, heaviest } = checkBuilt(join(SITE, "dist"), base);
if (values.look !== undefined)
  problems.push(...(await lookAtSite({ folder: join(SITE, "dist"), base, pages: LOOKED_AT, into: values.look })));
for (const problem of problems) console.error(`site: ${problem}`);
console.log(
  `site: ${pages} pages, ${links} internal links, ${anchors} of them to headings, ${problems.length} problems; heaviest ${heaviest.page} with ${Math.round(heaviest.bytes / 1000)} kB gzipped`,
);
process.exitCode = problems.length > 0 || pages === 0 ? 1 : 0;

function writeInput(): void {
  const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
  const site = collectPages({ root: ROOT, base });
  const contents = readContents(read);
  rmSync(GENERATED, { recursive: true, force: true });
  for (const page of site.pages.values()) write(`pages/${page.address}.md`, writePage(page));
  const served = {
    ...Object.fromEntries([...site.files, ...site.plain]),
    ...llmsFiles({ contents, site, base, readme: read("README.md") }),
  };
  for (const [address, text] of Object.entries(served)) write(`public/${address}`, text);
  for (const file of ["favicon.svg"]) {
    copyFileSync(join(SITE, "src/assets", file), join(GENERATED, "public", file));
  }
  write("pages/404.md", readFileSync(join(SITE, "src/404.md"), "utf8").replaceAll("](/", `](${base}`));
  write("site.json", JSON.stringify({ base, sidebar: createSidebar(contents, site.pages) }, null, 2));
}

function write(place: string, text: string): void {
  mkdirSync(dirname(join(GENERATED, place)), { recursive: true });
  writeFileSync(join(GENERATED, place), text);
}

/** The generator is installed once per lockfile. */
function install(): void {
  const lock = readFileSync(join(SITE, "package-lock.json"), "utf8");
  const mark = join(SITE, "node_modules/.installed-lock.json");
  if (existsSync(mark) && readFileSync(mark, "utf8") === lock) return;
  console.log("site: installing the generator into site/node_modules");
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: SITE,
    stdio: "inherit",
  });
  writeFileSync(mark, lock);
}
