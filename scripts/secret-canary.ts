/**
 * Looks for secrets where none may be: in everything the gateways of a test run wrote. Takes the folder they wrote to, which
 * also holds `secrets.txt`, the keys and tokens that were handed out. Exits 1 when one shows, and when there was nothing to
 * look at, since a check of nothing would look like good news.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { endOfPieces, findPiece, piecesOf, PUBLIC_CHARACTERS } from "../src/core/secret/secret-pieces.ts";

export type Leak = { file: string; line: number; masked: string };
export type Search = { files: number; lines: number; secrets: number; leaks: Leak[] };

const SECRETS_FILE = "secrets.txt";
/** Keys, personal tokens and the access tokens of a session begin with a public part; any other token has none. */
const publicPart = (secret: string): number => (/^tg[acpt]_/.test(secret) ? PUBLIC_CHARACTERS : 0);

export function searchFolder(folder: string): Search {
  const names = readdirSync(folder).filter((name) => name !== SECRETS_FILE);
  const secrets = new Set(linesOf(join(folder, SECRETS_FILE)).filter((line) => line.length > PUBLIC_CHARACTERS));
  const pieces = piecesOf(secrets, publicPart);
  const leaks: Leak[] = [];
  let lines = 0;
  for (const file of names) {
    for (const [index, text] of linesOf(join(folder, file)).entries()) {
      if (text !== "") lines++;
      const at = findPiece(text, pieces);
      if (at !== -1) leaks.push({ file, line: index + 1, masked: mask(text, at, pieces) });
    }
  }
  return { files: names.length, lines, secrets: secrets.size, leaks };
}

/** The surroundings of a leak without the leak, so that this report is not one. */
function mask(text: string, at: number, pieces: ReadonlySet<string>): string {
  const end = endOfPieces(text, pieces, at);
  const rest = text.slice(end, end + 40);
  return `${text.slice(Math.max(0, at - 40), at)}[${end - at} characters]${findPiece(rest, pieces) === -1 ? rest : ""}`;
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
