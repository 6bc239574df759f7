import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { productFeatures } from "../../scripts/denials/product-features.ts";
import { untrueDenials } from "../../scripts/denials/untrue-denials.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const features = productFeatures(ROOT);

/** What a page denies, with the proof that it is there. */
const found = (page: string): string[] =>
  untrueDenials(page, features).map(({ denied, proof }) => `${denied}: ${proof}`);
const row = (about: string, cell: string): string =>
  `| | Tollgate | The others |\n|---|---|---|\n| ${about} | ${cell} | LiteLLM and Bifrost |\n`;

test.each([
  [
    "<p>\n  What it does not do: embeddings, images and speech; a web console; single sign-on. <a href={at(link)}>Where others are better</a>.\n</p>",
    ["console: console/src/pages", "single sign-on: /admin/v1/sign-in"],
  ],
  [
    "If it is a missing provider, a missing console or a missing sign-in, one of the others\nfits better today.",
    ["console: console/src/pages", "sign-in: /admin/v1/sign-in"],
  ],
  [
    row("Sign-in with your identity provider", "none; a key is the unit"),
    ["sign-in with your identity provider: /admin/v1/sign-in"],
  ],
  [
    row("Users, teams, budgets above keys", "none"),
    [
      "users: tollgate people list",
      "teams: tollgate accounts create --kind team",
      "budgets above keys: tollgate budget",
    ],
  ],
  [
    row("Budget in money per month", "none: credit does not renew, token budgets do"),
    ["budget in money per month: tollgate budget"],
  ],
  [row("Web console", "none: commands and an admin API"), ["console: console/src/pages"]],
  [row("Settings pushed to Claude Code", "none"), ["settings pushed to claude code: /managed/settings"]],
  [
    "- A budget in credits does not renew. For a budget that renews, create a key with `--mode token_budget`.",
    ["budget in credits: tollgate budget"],
  ],
  [
    "- There are no guardrails, caches, MCP servers, teams or users in the request path.",
    ["teams: tollgate accounts create --kind team", "users in the request path: tollgate people list"],
  ],
  ["## What it does not do\n\n- An audit log\n- Embeddings", ["audit log: tollgate audit list"]],
  ["Tollgate has no roles.", ["roles: /admin/v1/people/{person}/grants"]],
  ["Single sign-on is not supported.", ["single sign-on: /admin/v1/sign-in"]],
])("an untrue denial is found: %j", (page, denied) => {
  expect(found(page)).toEqual(denied);
});

test("what is missing may be denied, and so may one case of what is there", () => {
  expect(found(row("Embeddings, images, speech", "none: text generation only"))).toEqual([]);
  expect(found(row("Web console", "for operators and for key holders"))).toEqual([]);
  expect(
    found(
      "If no key is sent, the response is 401. There is no setting for it. A model without a limit is not offered.",
    ),
  ).toEqual([]);
});

test("an exception in the page, with a reason, allows its words", () => {
  const page = row("Logs of prompts", "none: prompts are never stored");

  expect(found(page)).toEqual(["logs of prompts: tollgate logs"]);
  expect(found(`<!-- denies logs: prompts are not in them -->\n${page}`)).toEqual([]);
  expect(found(`<!-- denies logs: -->\n${page}`)).toHaveLength(1);
});

test("the changelog names every group of commands, and the console", () => {
  const changelog = read("CHANGELOG.md");
  const commands = read("docs/reference/commands.md").matchAll(/^\| \[`tollgate ([a-z-]+)/gm);
  const groups = [...new Set([...commands].map(([, name = ""]) => name))];
  const isNamed = (name: string): boolean =>
    changelog.includes(`\`${name}\``) || changelog.includes(`\`tollgate ${name}\``);

  expect(groups.length).toBeGreaterThan(30);
  expect(groups.filter((name) => !isNamed(name))).toEqual([]);
  expect(changelog).toContain("console");
});
