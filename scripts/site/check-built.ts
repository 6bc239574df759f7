/** Reads the built site and names what a reader would stumble over: dead links and anchors, requests to other hosts, pictures without words, heavy pages. */
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { join } from "node:path";

export type Findings = {
  problems: string[];
  pages: number;
  links: number;
  anchors: number;
  heaviest: { page: string; bytes: number };
};

/** HTML and the styles, scripts and pictures it loads, gzipped. */
export const MOST_BYTES = 300_000;

const ATTRIBUTE = /<([a-z][a-z0-9-]*)\b([^>]*)>/gi;

export function checkBuilt(folder: string, base: string): Findings {
  const pages = globSync("**/*.html", { cwd: folder }).toSorted();
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), "utf8")]));
  const ids = new Map(
    [...texts].map(([page, html]) => [
      page,
      new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => decode(id ?? ""))),
    ]),
  );
  const sizes = new Map<string, number>();
  const findings: Findings = {
    problems: [],
    pages: pages.length,
    links: 0,
    anchors: 0,
    heaviest: { page: "", bytes: 0 },
  };

  for (const [page, html] of texts) {
    const tell = (problem: string): number => findings.problems.push(`${page}: ${problem}`);
    const loaded = new Set<string>();
    for (const [, tag = "", rest = ""] of html
      .replaceAll(/<(script|style)\b([^>]*)>[\s\S]*?<\/\1>/gi, "<$1$2>")
      .matchAll(ATTRIBUTE)) {
      const name = tag.toLowerCase();
      const target = valueOf(rest, name === "a" || name === "link" ? "href" : "src");
      if (name === "img" && (valueOf(rest, "alt") ?? "").trim() === "")
        tell(`a picture has no alternative text: ${target}`);
      if (target === null || target.startsWith("data:") || target.startsWith("mailto:")) continue;
      const isOutside = /^([a-z]+:)?\/\//i.test(target);
      if (name === "a" && isOutside) continue;
      if (isOutside) {
        if (!(name === "link" && /rel="canonical"/.test(rest))) tell(`loads ${target}`);
        continue;
      }
      findings.links++;
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : fileOf(path);
      if (file === null) tell(`links to ${target}, which does not exist`);
      else if (anchor && file.endsWith(".html")) {
        findings.anchors++;
        if (!ids.get(file)?.has(decodeURIComponent(anchor)))
          tell(`links to ${target}, and the page has no such heading`);
      }
      if (file !== null && name !== "a" && name !== "iframe") loaded.add(file);
    }
    for (const [, style = ""] of html.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g))
      if (/url\(["']?(https?:)?\/\//.test(style)) tell("a style loads from another host");
    const bytes = sizeOf(page) + [...loaded].reduce((sum, file) => sum + sizeOf(file), 0);
    if (bytes > findings.heaviest.bytes) findings.heaviest = { page, bytes };
    if (bytes > MOST_BYTES) tell(`weighs ${bytes} bytes gzipped; ${MOST_BYTES} at most`);
  }
  for (const style of globSync("**/*.css", { cwd: folder }))
    if (/(url\(|@import )["']?(https?:)?\/\//.test(readFileSync(join(folder, style), "utf8")))
      findings.problems.push(`${style}: loads from another host`);
  return findings;

  function fileOf(path: string): string | null {
    if (!path.startsWith(base)) return null;
    const file = decodeURIComponent(path.slice(base.length)).replace(/\?.*$/, "");
    const whole = file === "" || file.endsWith("/") ? `${file}index.html` : file;
    return existsSync(join(folder, whole)) && statSync(join(folder, whole)).isFile() ? whole : null;
  }

  function sizeOf(file: string): number {
    const known = sizes.get(file) ?? gzipSync(readFileSync(join(folder, file))).length;
    sizes.set(file, known);
    return known;
  }
}

function valueOf(attributes: string, name: string): string | null {
  const found = new RegExp(`(?:^|\\s)${name}="([^"]*)"`, "i").exec(attributes)?.[1];
  return found === undefined ? null : decode(found);
}

const decode = (text: string): string =>
  text.replaceAll("&#38;", "&").replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'");
