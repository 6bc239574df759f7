/** Every page and file of the site, from the files of the repository. */
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { AdminDocument, OpenApiDocument } from "../../build/openapi/document.ts";
import { addressOf, API_FOLDERS, fileAddressOf, rawAddressOf } from "./address.ts";
import { apiPages } from "./api-pages.ts";
import { type Link, partsOf, replaceLinks, withBreaksInTables, withoutComments } from "./markdown.ts";
import { inTheme, sizeOf } from "./picture.ts";
import type { SitePage } from "./site-page.ts";

export type Site = {
  pages: Map<string, SitePage>;
  /** The same pages for programs: Markdown whose links are to other such files. */
  plain: Map<string, string>;
  /** Files that are served as they are, by their address. */
  files: Map<string, string>;
};

/** Where the repository is, and the folder the site is served from: `/` or `/tollgate/`. */
export type Place = { root: string; base: string };

/** Larger files are given as they are. */
const MOST_SHOWN_BYTES = 40_000;
const SHOWN =
  /\.(ya?ml|json|conf|toml|service|socket|timer|cfg|sh|env|ini|rules|txt|js|ts|py)$|\/(Containerfile|Dockerfile|Caddyfile)$/;

export function collectPages({ root, base }: Place): Site {
  const site: Site = { pages: new Map(), plain: new Map(), files: new Map() };
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const waiting = globSync("docs/**/*.md", { cwd: root }).toSorted();
  const seen = new Set(waiting);
  const want = (path: string): void => {
    if (!seen.has(path)) waiting.push(path);
    seen.add(path);
  };

  for (const path of waiting) {
    if (path.endsWith(".md")) addDocument(path);
    else if (existsSync(join(root, path)) && statSync(join(root, path)).isDirectory()) addFolder(path);
    else addFile(path);
  }
  addApis();
  return site;

  function addDocument(path: string): void {
    if (path === "README.md") return;
    const markdown = withoutComments(read(path));
    const { title, opening, body } = partsOf(markdown);
    const linked = (link: Link): string => {
      const target = normalize(join(dirname(path), link.target)).replace(/\/$/, "");
      if (link.isPicture) return picture(target, link.text);
      want(target);
      return `[${link.text}](${base}${addressFor(target)}${link.anchor})`;
    };
    const address = addressOf(path);
    site.pages.set(address, { address, title, opening, body: withBreaksInTables(replaceLinks(body, linked)) });
    site.plain.set(
      `${address}.md`,
      replaceLinks(markdown, (link) => plainLink(path, link)),
    );
  }

  /** With a slash at its end where it is a page. */
  function addressFor(target: string): string {
    if (target.endsWith(".md")) return target === "README.md" ? "" : `${addressOf(target)}/`;
    const api = API_FOLDERS[target];
    if (api !== undefined) return `${api}/`;
    return isShown(target) ? `${fileAddressOf(target)}/` : rawAddressOf(target);
  }

  function plainLink(path: string, { isPicture, text, target, anchor }: Link): string {
    const file = normalize(join(dirname(path), target)).replace(/\/$/, "");
    if (file === "README.md") return `[${text}](${base}llms.txt)`;
    if (file.endsWith(".md")) return `[${text}](${base}${addressOf(file)}.md${anchor})`;
    const isFolder = statSync(join(root, file)).isDirectory();
    return `${isPicture ? "!" : ""}[${text}](${base}${isFolder ? `${fileAddressOf(file)}.md` : rawAddressOf(file)})`;
  }

  function isShown(target: string): boolean {
    const stats = statSync(join(root, target));
    return stats.isDirectory() || (SHOWN.test(`/${target}`) && stats.size <= MOST_SHOWN_BYTES);
  }

  /** A phone scrolls a wide picture sideways; its text would be too small otherwise. */
  function picture(target: string, alt: string): string {
    const svg = read(target);
    const { width, height } = sizeOf(svg);
    const images = (["light", "dark"] as const).map((theme) => {
      const address = rawAddressOf(target).replace(/\.svg$/, `.${theme}.svg`);
      site.files.set(address, inTheme(svg, theme));
      return `<img class="only-${theme}" src="${base}${address}" alt="${escape(alt)}" width="${width}" height="${height}" loading="lazy">`;
    });
    site.files.set(rawAddressOf(target), svg);
    return `<a class="picture" href="${base}${rawAddressOf(target)}">${images.join("")}</a>`;
  }

  function addFile(path: string): void {
    const text = read(path);
    site.files.set(rawAddressOf(path), text);
    if (API_FOLDERS[path] !== undefined || !isShown(path)) return;
    const address = fileAddressOf(path);
    const opening = `The file \`${path}\` of the repository.`;
    const body = `${opening} [Download](${base}${rawAddressOf(path)}).\n\n~~~~${languageOf(path)}\n${text.trimEnd()}\n~~~~`;
    site.pages.set(address, { address, title: path.split("/").at(-1) ?? path, opening, body });
    site.plain.set(`${address}.md`, `# ${path}\n\n~~~~\n${text.trimEnd()}\n~~~~\n`);
  }

  function addFolder(path: string): void {
    const inside = globSync(`${path}/**/*`, { cwd: root })
      .filter((file) => statSync(join(root, file)).isFile())
      .toSorted();
    for (const file of inside) want(file);
    const address = fileAddressOf(path);
    const opening = `The files of \`${path}/\` in the repository.`;
    const list = inside.map((file) => `- [${file.slice(path.length + 1)}](${base}${addressFor(file)})`);
    site.pages.set(address, { address, title: `${path}/`, opening, body: [opening, "", ...list].join("\n") });
    site.plain.set(`${address}.md`, [`# ${path}/`, "", ...list].join("\n"));
  }

  function addApis(): void {
    const publicPath = "docs/reference/openapi.json";
    const adminPath = "docs/reference/admin-openapi.json";
    for (const path of [publicPath, adminPath]) site.files.set(rawAddressOf(path), read(path));
    const pages = [
      ...apiPages({
        document: JSON.parse(read(publicPath)) as OpenApiDocument,
        folder: API_FOLDERS[publicPath] ?? "",
        title: "Public API",
        opening: "For key holders who call the gateway from their own program.",
        shell: { origin: "TOLLGATE_BASE_URL", credential: "TOLLGATE_KEY", sdks: "official" },
        usualUrl: "http://127.0.0.1:8080",
        rawUrl: base + rawAddressOf(publicPath),
        errorsUrl: `${base}reference/errors/`,
      }),
      ...apiPages({
        document: JSON.parse(read(adminPath)) as AdminDocument,
        folder: API_FOLDERS[adminPath] ?? "",
        title: "Admin API",
        opening: "For operators who manage keys, funds, providers and models from a program.",
        shell: { origin: "TOLLGATE_ADMIN_URL", credential: "TOLLGATE_ADMIN_TOKEN", sdks: "none" },
        usualUrl: "http://127.0.0.1:8081",
        rawUrl: base + rawAddressOf(adminPath),
        errorsUrl: null,
      }),
    ];
    for (const page of pages) site.pages.set(page.address, page);
  }
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

const LANGUAGES: [RegExp, string][] = [
  [/\.ya?ml$/, "yaml"],
  [/\.json$/, "json"],
  [/\.(ts|js|py|sh|toml|ini)$/, "$1"],
  [/\.(service|socket|timer|env|cfg)$/, "ini"],
  [/nginx.*\.conf$/, "nginx"],
  [/(Containerfile|Dockerfile)$/, "dockerfile"],
];

function languageOf(path: string): string {
  for (const [pattern, language] of LANGUAGES) {
    const match = pattern.exec(path);
    if (match) return language === "$1" ? (match[1] ?? "text") : language;
  }
  return "text";
}
