/**
 * Gathers every sentence that a user can read: README, documentation, change fragments, API descriptions, and the texts in the
 * code (help, settings, metrics, errors, log messages). `--sample N --seed S` prints N of them, chosen at random; `--at DIR`
 * reads another checkout, for before and after.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import ts from "typescript";

export type Sentence = { place: string; text: string };

const FEWEST_WORDS = 4;
const PAGES = ["*.md", "docs/**/*.md", "changes/*.md", "examples/**/*.md"];
const DESCRIPTIONS = "docs/reference/*openapi.json";
const CODE = "{src,build,demo}/**/*.ts";
/** Code whose texts no user reads: tests, and answers that the simulated provider makes up. */
const UNREAD = /\.test\.ts$|^src\/simulator\//;

export function gatherSentences(root: string): Sentence[] {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const found = [
    ...globSync(PAGES, { cwd: root }).flatMap((path) => inMarkdown(path, read(path))),
    ...globSync(DESCRIPTIONS, { cwd: root }).flatMap((path) => inDescription(path, JSON.parse(read(path)))),
    ...globSync(CODE, { cwd: root })
      .filter((path) => !UNREAD.test(path))
      .flatMap((path) => inCode(path, read(path))),
  ];
  // Generated pages repeat what the code says; the first place is enough.
  return [...new Map(found.map((sentence) => [sentence.text, sentence])).values()];
}

/** Code, paths and links do not count as words. */
const isProse = (text: string): boolean =>
  (text.replaceAll(/`[^`]*`|\S*[/_=<>{}]\S*|\S+\.\w+/g, " ").match(/\p{L}{2,}/gu)?.length ?? 0) >= FEWEST_WORDS;

const sentencesOf = (text: string): string[] =>
  text
    .replaceAll(/\s+/g, " ")
    .split(/(?<=[.!?][)*`"]?) (?=["*`(]?\p{Lu})/u)
    .map((sentence) => sentence.trim())
    .filter(isProse);

/** Paragraphs, items and cells, with the line they begin on. Blocks of code and comments are left out. */
export function inMarkdown(path: string, markdown: string): Sentence[] {
  const blank = (block: string): string => block.replaceAll(/[^\n]/g, "");
  const lines = markdown
    .replaceAll(/^( *)```[\s\S]*?^\1```$/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/\]\([^)\s]+\)/g, "]")
    .split("\n");
  const passages: { line: number; text: string }[] = [];
  let open = false;
  for (const [index, line] of lines.entries()) {
    const text = line.replace(/^\s*(?:#+|[-*]|\d+\.)\s+(?:\[ \] )?/, "");
    const begins = text !== line || line.startsWith("|") || !open;
    open = line.trim() !== "" && !line.startsWith("|") && !line.startsWith("#");
    if (line.startsWith("|")) {
      passages.push(...line.split(/(?<!\\)\|/).map((cell) => ({ line: index + 1, text: cell })));
    } else if (begins) passages.push({ line: index + 1, text });
    else passages.at(-1)!.text += `\n${line}`;
  }
  return passages.flatMap(({ line, text }) =>
    sentencesOf(text).map((sentence) => ({ place: `${path}:${line}`, text: sentence })),
  );
}

/** The summaries and descriptions of an OpenAPI document. */
function inDescription(path: string, node: unknown, trail: readonly string[] = []): Sentence[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    const place = [...trail, key];
    if (typeof value !== "string") return inDescription(path, value, place);
    if (key !== "description" && key !== "summary") return [];
    return sentencesOf(value).map((text) => ({ place: `${path} ${place.join("/")}`, text }));
  });
}

/** Texts in quotes. What a template fills in is shown as `…`. */
export function inCode(path: string, source: string): Sentence[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, false);
  const found: Sentence[] = [];
  const add = (node: ts.Node, text: string): void => {
    // SQL and patterns are quoted too.
    if (/^\s*(?:select|insert|update|delete|with|create|alter|set|begin|listen)\b/i.test(text)) return;
    const { line } = ts.getLineAndCharacterOfPosition(file, node.end);
    found.push(...sentencesOf(text).map((sentence) => ({ place: `${path}:${line + 1}`, text: sentence })));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) add(node, node.text);
    else if (ts.isTemplateExpression(node))
      add(node, node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join(""));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** N of them, the same for the same seed. */
export function sample(sentences: readonly Sentence[], { count, seed }: { count: number; seed: number }): Sentence[] {
  const left = [...sentences];
  let state = seed >>> 0;
  const random = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0]!,
  );
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { sample: { type: "string" }, seed: { type: "string", default: "1" }, at: { type: "string" } },
  });
  const sentences = gatherSentences(values.at ?? join(import.meta.dirname, ".."));
  const shown =
    values.sample === undefined
      ? sentences
      : sample(sentences, { count: Number(values.sample), seed: Number(values.seed) });
  for (const { place, text } of shown) console.log(`${place}\n  ${text}`);
  console.log(`${shown.length} of ${sentences.length} sentences`);
}
