import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FAULT_CODES } from "../../src/core/fault.ts";
import { parseRules, problemsOf, readRules } from "../../scripts/rules.ts";

const rule = (id: string, sources = "spec 5.1", sentence = "One thing is so."): string =>
  `- **${id}** ${sentence} [${sources}]`;
const problemsIn = (...lines: string[]): string[] => problemsOf(parseRules(lines.join("\n")).rules);

test("the rules are in order, and every section of the specification and every decision is cited", () => {
  expect(readRules().length).toBeGreaterThan(250);
});

test("every decision that can be cited is explained at the end of the file", () => {
  const path = join(import.meta.dirname, "../../docs/reference/interface-rules.md");
  const explained = [...readFileSync(path, "utf8").matchAll(/^\| (\d+) \| [A-Z`].+ \|$/gm)].map(
    ([, number]) => `decision ${number}`,
  );
  const cited = readRules().flatMap(({ sources }) => sources.filter((source) => source.startsWith("decision")));

  expect(new Set(explained)).toEqual(new Set(cited));
});

test("every code a caller can be told stands in a rule", () => {
  const sentences = readRules()
    .map(({ sentence }) => sentence)
    .join("\n");

  expect(FAULT_CODES.filter((code) => !sentences.includes(`\`${code}\``))).toEqual([]);
});

test("no sentence is written twice within a group", () => {
  const seen = readRules().map(({ id, sentence }) => `${id.slice(0, 3)} ${sentence}`);

  expect(seen.filter((text, index) => seen.indexOf(text) !== index)).toEqual([]);
});

describe("the check sees", () => {
  test("a list item that is not a rule", () => {
    for (const line of [
      "- AUT-1 no stars [spec 5.1]",
      "- **AUT-1** no source.",
      "- **AU-1** short prefix. [spec 5.1]",
      "  - **AUT-1** x. [spec 5.1]",
    ])
      expect(parseRules(line)).toMatchObject({ rules: [], problems: [expect.stringContaining("line 1")] });
  });

  test("an id that is used twice", () => {
    expect(problemsIn(rule("AUT-1"), rule("AUT-1"))).toContain("line 2: AUT-1 stands where AUT-2 is due");
  });

  test("a gap in the numbers of a prefix, each prefix counted alone", () => {
    const problems = problemsIn(rule("AUT-1"), rule("KEY-1"), rule("AUT-3"));

    expect(problems.filter((problem) => problem.startsWith("line"))).toEqual([
      "line 3: AUT-3 stands where AUT-2 is due",
    ]);
  });

  test("a sentence without its full stop", () => {
    expect(problemsIn(rule("AUT-1", "spec 5.1", "Nothing ends"))).toContain(
      "line 1: AUT-1 does not end with a full stop",
    );
  });

  test("a source that does not exist", () => {
    for (const source of ["spec 5.11", "spec 10", "decision 0", "decision 36", "section 5", "spec 6.3.1"])
      expect(problemsIn(rule("AUT-1", source))).toContain(`line 1: AUT-1 cites "${source}", which does not exist`);
  });

  test("a section or a decision that nothing in force cites", () => {
    const problems = problemsIn(rule("AUT-1", "spec 5.1, decision 1"), rule("AUT-2", "decision 2", "Withdrawn."));

    expect(problems).toEqual(
      expect.arrayContaining(["no rule cites spec 6.2.4", "no rule cites spec 9", "no rule cites decision 2"]),
    );
    expect(problems).not.toContain("no rule cites spec 5.1");
    expect(problems).not.toContain("no rule cites decision 1");
  });
});
