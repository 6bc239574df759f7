import { type Document, isCollection, isMap, isNode, isScalar, LineCounter, type Node, parseDocument } from "yaml";
import type { ErrorCode } from "yaml";

/** Past this the file is no configuration, and looking for what each line might have meant takes seconds. */
export const MOST_PROBLEMS = 100;

const WORDS: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: "the indentation is wrong, or a closing bracket or quote is missing above.",
  TAB_AS_INDENT: "a tab is used for indentation; use spaces.",
  MISSING_CHAR: "a character is missing, such as a quote, a bracket, a comma, or the colon after a name.",
  DUPLICATE_KEY: "this name is given twice; keep one.",
  MULTIPLE_DOCS: "the file has more than one document (`---`); keep one.",
  TAG_RESOLVE_FAILED: "tags such as `!name` are not supported; write the value itself.",
  BLOCK_AS_IMPLICIT_KEY: "nested names must begin on a line of their own, indented.",
  BAD_SCALAR_START: "a value cannot begin with this character; put the value in quotes.",
  BAD_ALIAS: "this alias is not valid; write the value itself.",
  UNEXPECTED_TOKEN: "this is not valid here; put the value in quotes if it contains special characters.",
};
const UNREADABLE = "this is not valid YAML.";

export type YamlText = {
  document: Document.Parsed;
  /** What is wrong with the text as YAML, at most a hundred. */
  mistakes: readonly { offset: number; message: string }[];
  /** `3:5`, line and column. */
  placeOf: (offset: number) => string;
};

/** Parses a YAML file and says what is wrong with it by place. No message quotes the text, which could hold a secret. */
export function parseYaml(text: string, { uniqueKeys }: { uniqueKeys: boolean }): YamlText {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys });
  const mistakes = [...document.errors, ...document.warnings]
    .slice(0, MOST_PROBLEMS)
    .map(({ code, pos }) => ({ offset: pos[0], message: WORDS[code] ?? UNREADABLE }));
  const placeOf = (offset: number): string => {
    const { line, col } = lineCounter.linePos(offset);
    return `${Math.max(1, line)}:${Math.max(1, col)}`;
  };
  return { document, mistakes, placeOf };
}

/** Where the value at a path begins, or its name in a map; of what is not there, where that begins which should have it. */
export function offsetAt(document: Document.Parsed, path: readonly PropertyKey[]): number {
  let node: Node | null = document.contents;
  let offset = startOf(node);
  for (const step of path) {
    const pair = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      : undefined;
    const next: unknown = pair ? pair.value : isCollection(node) && !isMap(node) ? node.items[Number(step)] : undefined;
    if (pair && isNode(pair.key)) offset = startOf(pair.key);
    else if (isNode(next)) offset = startOf(next);
    if (!isNode(next)) return offset;
    node = next;
  }
  return offset;
}

const startOf = (node: Node | null): number => node?.range?.[0] ?? 0;
