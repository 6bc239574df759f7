import { expect, test } from "vitest";
import { textDiff, withoutSecrets } from "./text-diff.ts";

test("lines that were taken out and put in are listed with their numbers", () => {
  expect(textDiff("a\nb\nc\n", "a\nB\nc\nd\n")).toEqual([
    { sign: "-", number: 2, text: "b" },
    { sign: "+", number: 2, text: "B" },
    { sign: "+", number: 4, text: "d" },
  ]);
  expect(textDiff("a\n", "a\n")).toEqual([]);
});

const OURS = { key: "tgc_a034Fq4Jsecretsecret", shown: "tgc_a034Fq4J…" };

test.each([
  ['"ANTHROPIC_AUTH_TOKEN": "tgc_a034Fq4Jsecretsecret"', '"ANTHROPIC_AUTH_TOKEN": "tgc_a034Fq4J…"'],
  ['"ANTHROPIC_AUTH_TOKEN": "sk-ant-somebody-elses"', '"ANTHROPIC_AUTH_TOKEN": "…"'],
  ['{"env":{"GITHUB_TOKEN":"ghp_0123456789","A":1}}', '{"env":{"GITHUB_TOKEN":"…","A":1}}'],
  ["export OPENAI_API_KEY=sk-0123456789", "export OPENAI_API_KEY=…"],
  ['env_key = "TOLLGATE_KEY"', 'env_key = "TOLLGATE_KEY"'],
])("%s is shown as %s", (line, shown) => {
  expect(withoutSecrets(line, OURS)).toBe(shown);
});
