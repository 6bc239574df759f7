import { expect, test } from "vitest";
import { commandsOf, parseFences } from "./fences.ts";

const PAGE = `# Page

\`\`\`sh
one
# not a command

two \\
  more
\`\`\`

- in a list

  <!-- not run: needs an account -->
  \`\`\`sh
  three
  \`\`\`

<!-- file: hello.mjs -->
\`\`\`js
console.log(1);
console.log(2);
\`\`\`

<!-- keeps running until: ready -->
\`\`\`sh
four
\`\`\`

<!-- fails with: too much -->
\`\`\`sh
five
\`\`\`

<!-- printed by: the commands above -->
\`\`\`text
too much
\`\`\`
`;

test("a block has its place, its text without the indentation, and what the comment before it says", () => {
  const nothing = { notRun: null, file: null, runsUntil: null, failsWith: null, printedBy: null };

  expect(parseFences("page.md", PAGE)).toMatchObject([
    { line: 3, language: "sh", ...nothing },
    { line: 14, language: "sh", ...nothing, notRun: "needs an account" },
    { line: 19, language: "js", ...nothing, file: "hello.mjs" },
    { line: 25, language: "sh", ...nothing, runsUntil: "ready" },
    { line: 30, language: "sh", ...nothing, failsWith: "too much" },
    { line: 35, language: "text", ...nothing, printedBy: "the commands above" },
  ]);
  expect(parseFences("page.md", PAGE)[1]?.text).toBe("three");
});

test("a command goes on over continued lines, and a program is one command", () => {
  expect(parseFences("page.md", PAGE).map(commandsOf)).toEqual([
    ["one", "two \\\n  more"],
    ["three"],
    ["console.log(1);\nconsole.log(2);"],
    ["four"],
    ["five"],
    ["too much"],
  ]);
});

test("a block that is never closed is refused", () => {
  expect(() => parseFences("page.md", "```sh\none")).toThrow("page.md:1 is never closed");
});
