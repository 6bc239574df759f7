import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const CANARY = join(import.meta.dirname, "../../scripts/secret-canary.ts");
/** Made up for this test; they open nothing. */
const KEY = "tgc_0a1Qm3xYzP8rTvWb2NcKdLfGhJ5s7D9eR4uI6oA1";
const TOKEN = "Zm9vYmFyLWJhei1xdXV4LWNvcmdlLWdy";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "canary-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function search(files: Record<string, string>): { code: number | null; output: string } {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [CANARY, folder], { encoding: "utf8" });
  return { code: status, output: stdout + stderr };
}

const secrets = `${KEY}\n${TOKEN}\n${KEY}\n`;

test("output without secrets passes, and it is said how much was looked at", () => {
  const { code, output } = search({
    "secrets.txt": secrets,
    "1.log": `{"key_prefix":"${KEY.slice(0, 12)}"}\n{"status":200}\n`,
    "1.stderr": "",
  });

  expect({ code, output }).toEqual({ code: 0, output: "secret canary: 2 files, 2 lines, 2 secrets, 0 leaks\n" });
});

test.each([
  ["a whole key", `{"authorization":"Bearer ${KEY}"}`],
  ["the end of a key", `…${KEY.slice(-16)}`],
  ["the middle of a key", `x${KEY.slice(14, 28)}x`],
  ["one character more than the public prefix", KEY.slice(0, 13)],
  ["a whole token", `token=${TOKEN}`],
  ["the beginning of a token", TOKEN.slice(0, 12)],
])("%s is found, and named by file and line without being repeated", (_name, leak) => {
  const { code, output } = search({ "secrets.txt": secrets, "7.log": `fine\n\nfine\n${leak}\n`, "8.log": "fine\n" });

  expect(code).toBe(1);
  expect(output).toContain("4 lines, 2 secrets, 1 leaks");
  expect(output).toMatch(/^7\.log:4: /m);
  for (const secret of [KEY.slice(10), TOKEN])
    for (let at = 0; at + 10 <= secret.length; at++) expect(output).not.toContain(secret.slice(at, at + 10));
});

test("two secrets on one line are both masked", () => {
  const { code, output } = search({ "secrets.txt": secrets, "7.log": `${KEY} and ${TOKEN}\n` });

  expect(code).toBe(1);
  expect(output).not.toContain(TOKEN.slice(0, 10));
});

test.each<[name: string, files: Record<string, string>]>([
  ["no output", { "secrets.txt": secrets }],
  ["empty output", { "secrets.txt": secrets, "1.log": "" }],
  ["no secrets", { "secrets.txt": "", "1.log": "fine\n" }],
  ["no list of secrets", { "1.log": "fine\n" }],
])("%s is a failure, not good news", (_name, files) => {
  expect(search(files).code).toBe(1);
});
