import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A fenced block of a page, with what an HTML comment on the line before says about it. */
export type Fence = {
  page: string;
  /** Of the opening fence, from 1. */
  line: number;
  language: string;
  text: string;
  /** `<!-- not run: reason -->` */
  notRun: string | null;
  /** `<!-- file: name -->`: the reader saves the block under this name. */
  file: string | null;
  /** `<!-- keeps running until: text -->`: the last command does not end; the text in its output says that it is ready. */
  runsUntil: string | null;
  /** `<!-- fails with: text -->`: the last command fails on purpose, and this text is in its output. */
  failsWith: string | null;
  /** `<!-- printed by: the commands above -->`: lines of the output of the runnable block before. */
  printedBy: string | null;
};

const ROOT = join(import.meta.dirname, "../../..");
/** Languages of blocks that a reader runs. Other blocks show output or the content of a file. */
const RUNNABLE = new Set(["sh", "bash", "js", "ts", "python", "go"]);

export function fencesOf(page: string): Fence[] {
  return parseFences(page, readFileSync(join(ROOT, page), "utf8"));
}

export function parseFences(page: string, markdown: string): Fence[] {
  const lines = markdown.split("\n");
  const fences: Fence[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent, language] = /^( *)```(\w*)$/.exec(lines[at] ?? "") ?? [];
    if (indent === undefined || language === undefined) continue;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    if (end < 0) throw new Error(`${page}:${at + 1} is never closed`);
    const text = lines
      .slice(at + 1, end)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()))
      .join("\n");
    const said = (word: string): string | null =>
      new RegExp(`^ *<!-- ${word}: (.+) -->$`).exec(lines[at - 1] ?? "")?.[1] ?? null;
    fences.push({
      page,
      line: at + 1,
      language,
      text,
      notRun: said("not run"),
      file: said("file"),
      runsUntil: said("keeps running until"),
      failsWith: said("fails with"),
      printedBy: said("printed by"),
    });
    at = end;
  }
  return fences;
}

export const isRunnable = ({ language }: Pick<Fence, "language">): boolean => RUNNABLE.has(language);

/** The commands of a block: each line of a shell block with its continuation lines, and any other block as one. */
export function commandsOf({ language, text }: Fence): string[] {
  if (language !== "sh" && language !== "bash") return [text];
  return text
    .replaceAll("\\\n", "\\\n\0")
    .split(/\n(?!\0)/)
    .map((command) => command.replaceAll("\0", ""))
    .filter((command) => command.trim() !== "" && !command.startsWith("#"));
}
