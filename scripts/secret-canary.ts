/**
 * Looks for secrets where none may be: in everything the gateways of a test run wrote. Takes the folder they wrote to, which
 * also holds `secrets.txt`, the keys and tokens that were handed out. Exits 1 when one shows, and when there was nothing to
 * look at, since a check of nothing would look like good news.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Leak = { file: string; line: number; masked: string };
export type Search = { files: number; lines: number; secrets: number; leaks: Leak[] };

const SECRETS_FILE = "secrets.txt";
/** The first characters of a key are public; they say in a log which key is meant. */
const PUBLIC_CHARACTERS = 12;
/** A run of this many characters of a secret is no accident, and is enough to be ashamed of. */
const PIECE_CHARACTERS = 10;

export function searchFolder(folder: string): Search {
  const names = readdirSync(folder).filter((name) => name !== SECRETS_FILE);
  const secrets = new Set(linesOf(join(folder, SECRETS_FILE)).filter((line) => line.length > PUBLIC_CHARACTERS));
  const pieces = piecesOf(secrets);
  const leaks: Leak[] = [];
  let lines = 0;
  for (const file of names) {
    for (const [index, text] of linesOf(join(folder, file)).entries()) {
      if (text !== "") lines++;
      const at = leakIn(text, pieces);
      if (at !== -1) leaks.push({ file, line: index + 1, masked: mask(text, at, pieces) });
    }
  }
  return { files: names.length, lines, secrets: secrets.size, leaks };
}

/** Every run of characters that would give a secret away, whichever part of it was written. */
function piecesOf(secrets: ReadonlySet<string>): Set<string> {
  const pieces = new Set<string>();
  for (const secret of secrets) {
    // A key begins with a public part; any other token has none.
    const start = /^tg[ct]_/.test(secret) ? PUBLIC_CHARACTERS - PIECE_CHARACTERS + 1 : 0;
    for (let at = start; at + PIECE_CHARACTERS <= secret.length; at++)
      pieces.add(secret.slice(at, at + PIECE_CHARACTERS));
  }
  return pieces;
}

function leakIn(text: string, pieces: ReadonlySet<string>): number {
  for (let at = 0; at + PIECE_CHARACTERS <= text.length; at++)
    if (pieces.has(text.slice(at, at + PIECE_CHARACTERS))) return at;
  return -1;
}

/** The surroundings of a leak without the leak, so that this report is not one. */
function mask(text: string, at: number, pieces: ReadonlySet<string>): string {
  let end = at + PIECE_CHARACTERS;
  while (end < text.length && pieces.has(text.slice(end + 1 - PIECE_CHARACTERS, end + 1))) end++;
  const rest = text.slice(end, end + 40);
  return `${text.slice(Math.max(0, at - 40), at)}[${end - at} characters]${leakIn(rest, pieces) === -1 ? rest : ""}`;
}

const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n");

/** Reports a search: the lines to print and the exit code. */
export function report({ files, lines, secrets, leaks }: Search): { text: string; exitCode: number } {
  const looked = `secret canary: ${files} files, ${lines} lines, ${secrets} secrets`;
  if (files === 0 || lines === 0 || secrets === 0) return { text: `${looked}: nothing to look at`, exitCode: 1 };
  const found = leaks.map(({ file, line, masked }) => `${file}:${line}: ${masked}`);
  return { text: [`${looked}, ${leaks.length} leaks`, ...found].join("\n"), exitCode: leaks.length === 0 ? 0 : 1 };
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error("usage: secret-canary.ts FOLDER");
    process.exit(2);
  }
  try {
    const { text, exitCode } = report(searchFolder(folder));
    console.log(text);
    process.exitCode = exitCode;
  } catch (error) {
    console.error(`secret canary: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
