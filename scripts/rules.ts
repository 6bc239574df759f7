/**
 * Reads docs/reference/interface-rules.md, the numbered promises that test titles refer to, and checks the file itself.
 * Run directly it prints a count per prefix, or the problems and exit code 1.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export type Rule = {
  /** Such as `AUT-3`. */
  id: string;
  sentence: string;
  /** Such as `spec 5.1` and `decision 1`. */
  sources: readonly string[];
  line: number;
};

const RULES_PATH = join(import.meta.dirname, "../docs/reference/interface-rules.md");
const RULE_LINE = /^- \*\*([A-Z]{3}-\d+)\*\* (.+) \[([^\]]+)\]$/;
/** A dropped rule keeps its line, so that no id ever means two things. */
const WITHDRAWN = "Withdrawn.";

/** The specification as far as it can be cited: a section, and how many numbered parts it has. */
const SECTIONS = new Map([
  ["1", 6],
  ["2", 13],
  ["3", 0],
  ["4", 8],
  ["5", 10],
  ["6", 3],
  ["6.1", 10],
  ["6.2", 4],
  ["7", 3],
  ["7.3", 4],
  ["8", 0],
  ["9", 0],
]);
/** Those that are built; the numbers between them belong to what is not yet. */
const DECISIONS = [...Array.from({ length: 35 }, (_, index) => index + 1), 37, 41, 45, 48];

/** The rules in force. Throws when the file is not in order, because a report on half the rules would look like good news. */
export function readRules(): Rule[] {
  const { rules, problems } = parseRules(readFileSync(RULES_PATH, "utf8"));
  const all = [...problems, ...problemsOf(rules)];
  if (all.length > 0) throw new Error(`${RULES_PATH} is not in order:\n${all.join("\n")}`);
  return rules.filter(inForce);
}

/** Every list item of the file must be a rule; one that merely looks like a rule would never be missed by anybody. */
export function parseRules(markdown: string): { rules: Rule[]; problems: string[] } {
  const rules: Rule[] = [];
  const problems: string[] = [];
  for (const [index, text] of markdown.split("\n").entries()) {
    if (!/^\s*[-*+] /.test(text)) continue;
    const line = index + 1;
    const [, id, sentence, sources] = RULE_LINE.exec(text) ?? [];
    if (!id || !sentence || !sources) problems.push(`line ${line}: not a well-formed rule: ${text.slice(0, 60)}`);
    else rules.push({ id, sentence, sources: sources.split(", "), line });
  }
  return { rules, problems };
}

export function problemsOf(rules: readonly Rule[]): string[] {
  return [...numberingProblems(rules), ...sentenceProblems(rules), ...sourceProblems(rules)];
}

function numberingProblems(rules: readonly Rule[]): string[] {
  const last = new Map<string, number>();
  return rules.flatMap(({ id, line }) => {
    const prefix = id.slice(0, 3);
    const expected = (last.get(prefix) ?? 0) + 1;
    last.set(prefix, expected);
    return id === `${prefix}-${expected}` ? [] : [`line ${line}: ${id} stands where ${prefix}-${expected} is due`];
  });
}

function sentenceProblems(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ id, line, sentence }) =>
    sentence.endsWith(".") ? [] : [`line ${line}: ${id} does not end with a full stop`],
  );
}

function sourceProblems(rules: readonly Rule[]): string[] {
  const { citable, required } = sourceLists();
  const cited = new Set(rules.filter(inForce).flatMap((rule) => rule.sources));
  const unknown = rules.flatMap(({ id, line, sources }) =>
    sources
      .filter((source) => !citable.has(source))
      .map((source) => `line ${line}: ${id} cites "${source}", which does not exist`),
  );
  return [
    ...unknown,
    ...[...required].filter((source) => !cited.has(source)).map((source) => `no rule cites ${source}`),
  ];
}

/** Sections of the specification and decisions about the interface: what a rule, or a comment, may give as its source. */
export const citableSources = (): string[] => [...sourceLists().citable];

/** What may be cited, and the part of it that must be: every decision and every section that is not divided further. */
function sourceLists(): { citable: Set<string>; required: Set<string> } {
  const decisions = DECISIONS.map((number) => `decision ${number}`);
  const sections = new Set([...SECTIONS].flatMap(([section, parts]) => [section, ...numbered(section, parts)]));
  const undivided = [...sections].filter((section) => !SECTIONS.get(section));
  return {
    citable: new Set([...decisions, ...[...sections].map((section) => `spec ${section}`)]),
    required: new Set([...decisions, ...undivided.map((section) => `spec ${section}`)]),
  };
}

const inForce = (rule: Rule): boolean => rule.sentence !== WITHDRAWN;

const numbered = (section: string, parts: number): string[] =>
  Array.from({ length: parts }, (_, index) => `${section}.${index + 1}`);

if (import.meta.main) {
  try {
    const rules = readRules();
    const counts = new Map<string, number>();
    for (const { id } of rules) counts.set(id.slice(0, 3), (counts.get(id.slice(0, 3)) ?? 0) + 1);
    for (const [prefix, count] of counts) console.log(`${prefix} ${String(count).padStart(4)}`);
    console.log(`all ${String(rules.length).padStart(4)}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
