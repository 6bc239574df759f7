import { randomBytes } from "node:crypto";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { addressOf } from "../../scripts/site/address.ts";
import { checkBuilt } from "../../scripts/site/check-built.ts";
import { collectPages } from "../../scripts/site/collect-pages.ts";
import { readContents } from "../../scripts/site/contents.ts";
import { llmsFiles } from "../../scripts/site/llms.ts";
import { withBreaksInTables } from "../../scripts/site/markdown.ts";
import { inTheme } from "../../scripts/site/picture.ts";
import { createSidebar, type SidebarItem } from "../../scripts/site/sidebar.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const base = "/docs-of-tollgate/";
const site = collectPages({ root: ROOT, base });
const contents = readContents(read);
const llms = llmsFiles({ contents, site, base, readme: read("README.md") });

const linksOf = (item: SidebarItem): string[] => ("link" in item ? [item.link] : item.items.flatMap(linksOf));
const sidebar = createSidebar(contents, site.pages).flatMap(linksOf);

/** Whether the site serves something at an address below its base. */
const isServed = (address: string): boolean =>
  address === "" ||
  site.files.has(address) ||
  site.plain.has(address) ||
  Object.hasOwn(llms, address) ||
  (address.endsWith("/") && site.pages.has(address.slice(0, -1)));

test("every page of the documentation stands in the part By folder of docs/README.md, and so in the sidebar", () => {
  const pages = globSync("docs/**/*.md", { cwd: ROOT });

  expect(pages.length).toBeGreaterThan(50);
  expect(pages.filter((page) => !sidebar.includes(`/${addressOf(page)}/`))).toEqual([]);
});

test("the sidebar names every page once, and no page that does not exist", () => {
  expect(sidebar.filter((link) => !isServed(link.slice(1)))).toEqual([]);
  expect(sidebar.filter((link, at) => sidebar.indexOf(link) !== at)).toEqual([]);
});

test("a page that is not there stops the sidebar by name", () => {
  const group = { label: "Start", about: "", entries: ["docs/start/gone.md"] };

  expect(() => createSidebar([group], site.pages)).toThrow("start/gone");
});

test("every link of a page of the site, of its home page and of its page for programs leads to something it serves", () => {
  const pages = [...site.pages.values()].map(({ address, body }) => [address, body] as const);
  const texts = [...pages, ...site.plain, ...Object.entries(llms)];
  const links = texts.flatMap(([address, text]) =>
    [...text.matchAll(/(?:\]\(|(?:href|src)=")(\/[^)"#\s]*)/g)].map(([, link = ""]) => ({ address, link })),
  );
  const home = [...read("site/src/pages/index.astro").matchAll(/(?:at\(|link: )"([^"#]+)/g)].map(
    ([, link]) => link ?? "",
  );
  const lost = [...read("site/src/404.md").matchAll(/\]\(\/([^)]*)\)/g)].map(([, link]) => link ?? "");

  expect(links.length).toBeGreaterThan(500);
  expect(home.length).toBeGreaterThan(8);
  expect(links.filter(({ link }) => !link.startsWith(base) || !isServed(link.slice(base.length)))).toEqual([]);
  expect([...home, ...lost].filter((link) => !isServed(link))).toEqual([]);
});

test("a long name in a table may break at its joints, and names elsewhere stay as they are", () => {
  const text = "`TOLLGATE_LISTEN_PORT`\n\n| `TOLLGATE_LISTEN_PORT` | `short` | `a b c d e f g h i j` |\n";

  expect(withBreaksInTables(text)).toBe(
    "`TOLLGATE_LISTEN_PORT`\n\n| <code>TOLLGATE_<wbr>LISTEN_<wbr>PORT</code> | `short` | `a b c d e f g h i j` |\n",
  );
});

test("a picture is given in the colours of each theme, and no longer asks the system", () => {
  const svg = "<svg><style>a{fill:red}@media (prefers-color-scheme: dark) {a{fill:blue}}b{x:y}</style></svg>";

  expect(inTheme(svg, "light")).toBe("<svg><style>a{fill:red}b{x:y}</style></svg>");
  expect(inTheme(svg, "dark")).toBe("<svg><style>a{fill:red}a{fill:blue}b{x:y}</style></svg>");
});

test("every picture of the documentation has colours for both themes", () => {
  const pictures = [...site.files.keys()].filter((address) => address.endsWith(".light.svg"));
  const alike = pictures.filter(
    (light) => site.files.get(light) === site.files.get(light.replace(".light.", ".dark.")),
  );

  expect(pictures.length).toBeGreaterThan(5);
  expect(alike).toEqual([]);
});

const folder = mkdtempSync(join(tmpdir(), "tollgate-site-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("the check of the built site finds dead links and headings, foreign hosts, pictures without words and heavy pages", () => {
  const noise = randomBytes(320_000).toString("base64");
  const files = {
    "index.html": `<h2 id="here">x</h2><a href="#here">x</a><a href="#there">x</a><a href="${base}b/#b">x</a>
      <a href="${base}gone/">x</a><a href="/elsewhere/">x</a><a href="https://example.com/">x</a>
      <script src="https://cdn.example/x.js"></script><img src="${base}p.svg"><img src="${base}p.svg" alt="A picture">`,
    "b/index.html": `<p id="b">b</p><link rel="stylesheet" href="${base}s.css">`,
    "heavy/index.html": `<p>${noise}</p>`,
    "p.svg": "<svg/>",
    "s.css": "@import 'https://fonts.example/f.css';",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  const { problems, pages, anchors } = checkBuilt(folder, base);

  expect({ pages, anchors }).toEqual({ pages: 3, anchors: 3 });
  expect(problems).toEqual([
    expect.stringMatching(/^heavy\/index.html: weighs \d+ bytes gzipped; 300000 at most$/),
    "index.html: links to #there, and the page has no such heading",
    `index.html: links to ${base}gone/, which does not exist`,
    "index.html: links to /elsewhere/, which does not exist",
    "index.html: loads https://cdn.example/x.js",
    `index.html: a picture has no alternative text: ${base}p.svg`,
    "s.css: loads from another host",
  ]);
});
