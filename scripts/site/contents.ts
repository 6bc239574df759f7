/** The contents of the documentation, read from the part "By folder" of docs/README.md: the one list of its pages and their order. */
import { dirname, join } from "node:path";

/** Files by their path from the root of the repository. */
export type ContentsEntry = string | { label: string; entries: string[] };
export type ContentsGroup = { label: string; about: string; entries: ContentsEntry[] };

const INDEX = "docs/README.md";
const LINK = /\[[^\]]+\]\((?![a-z]+:)([^)#\s]+)(?:#[^)\s]*)?\)/g;

/** The files that a text of `page` links to. */
export const targetsIn = (text: string, page: string): string[] =>
  [...text.matchAll(LINK)].map(([, target = ""]) => join(dirname(page), target));

/** `read` gives the text of a file. */
export function readContents(read: (path: string) => string): ContentsGroup[] {
  const [, byFolder = ""] = read(INDEX).split("\n## By folder\n");
  return byFolder
    .split(/\n(?=\*\*)/)
    .filter((part) => part.startsWith("**"))
    .map((part) => groupOf(part, read));
}

function groupOf(part: string, read: (path: string) => string): ContentsGroup {
  const [head = "", ...items] = part.split(/\n+- /);
  const [, name = "", about = ""] = /^\*\*(.+?)\*\*: (.*)/s.exec(head.trim()) ?? [];
  return {
    label: capital(name),
    about: about.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll(/\s+/g, " "),
    entries: [
      ...targetsIn(about, INDEX).flatMap((index) => [index, ...neighboursIn(index, read)]),
      ...items.flatMap(entriesOf),
    ],
  };
}

/** A link in the head of a group is to an index, whose pages belong to the group. */
const neighboursIn = (index: string, read: (path: string) => string): string[] =>
  targetsIn(read(index), index).filter((target) => dirname(target) === dirname(index) && target.endsWith(".md"));

/** `- For operators: [a](a.md), [b](b.md)` is a group of its own. */
function entriesOf(item: string): ContentsEntry[] {
  const entries = targetsIn(item, INDEX);
  const [, label] = /^(For [^:[]+):/.exec(item) ?? [];
  return label === undefined ? entries : [{ label, entries }];
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
