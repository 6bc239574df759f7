import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runTollgate } from "../../src/cli/tollgate.ts";
import { readCatalogueFile } from "../../src/config/read/catalogue-file.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const page = read("docs/reference/commands.md");
const documented = new Map(
  [...page.matchAll(/^\| \[`tollgate ([a-z -]+)`\]\(#.+\) \| .+ \| (yes|no) \|$/gm)].map(([, command, json]) => [
    command,
    json,
  ]),
);

/** What a command says of itself. Asked in this process, because a dozen new ones would take seconds. */
async function helpOf(words: readonly string[]): Promise<string> {
  const written: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  try {
    await runTollgate(["node", "tollgate", ...words, "--help"]);
  } finally {
    write.mockRestore();
  }
  return written.join("");
}

/** Every command that does something, by its words, with its help. */
async function commandsUnder(words: readonly string[]): Promise<[command: string, help: string][]> {
  const text = await helpOf(words);
  const [, list] = text.split("\nCommands:\n");
  if (list === undefined) return [[words.join(" "), text]];
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name ?? "").filter((name) => name !== "help");
  const found: [string, string][] = [];
  for (const name of names) found.push(...(await commandsUnder([...words, name])));
  return found;
}

test("the page of commands lists every command, with whether it prints JSON, and no other", async () => {
  const commands = await commandsUnder([]);

  expect(commands.length).toBeGreaterThan(5);
  expect(documented).toEqual(new Map(commands.map(([name, text]) => [name, text.includes("--json") ? "yes" : "no"])));
});

test("every command line in the README, the start pages and the guides begins with a command that exists", () => {
  const pages = ["README.md", ...globSync("docs/{start,guides}/*.md", { cwd: ROOT })];
  const lines = pages.flatMap((path) =>
    [...read(path).matchAll(/(?:^|npx |-p \S+ |`)tollgate ([a-z][a-z-]*(?: [a-z][a-z-]*)*)/gm)].map(
      ([, words]) => words ?? "",
    ),
  );
  const known = [...documented.keys()];

  expect(lines.length).toBeGreaterThan(50);
  expect(lines.filter((line) => !known.some((command) => `${line} `.startsWith(`${command} `)))).toEqual([]);
});

test("the catalogue of the page on PostgreSQL and the one in examples/ can be applied as they are", () => {
  const [, block = ""] = /```yaml\n([\s\S]+?)```/.exec(read("docs/start/on-postgresql.md")) ?? [];
  const example = read("examples/catalogue.yaml");

  for (const text of [block, example]) {
    const { providers, models } = readCatalogueFile(text, "catalogue.yaml");
    const known = providers.map(({ name }) => name);

    expect(models.map(({ id }) => id)).toContain("gpt-4.1-mini");
    expect(models.flatMap(({ routes }) => routes).filter(({ provider }) => !known.includes(provider))).toEqual([]);
    expect(models[0]?.price?.inputNano).toBe(400_000_000n);
  }
});
