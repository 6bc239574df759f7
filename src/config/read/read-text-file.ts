import { closeSync, openSync, readSync, statSync } from "node:fs";

/** Reads a text file of at most `limitBytes`. Throws when it is missing, larger, or not UTF-8. */
export type ReadFile = (path: string, limitBytes: number) => string;

/** Reads no further than the limit, so that a mistaken path to a disk or a device does not fill the memory. */
export const readTextFile: ReadFile = (path, limitBytes) => {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(limitBytes + 1);
    let length = 0;
    for (;;) {
      const read = readSync(file, buffer, length, buffer.length - length, null);
      length += read;
      if (length > limitBytes) throw new Error(`larger than ${limitBytes.toLocaleString("en-US")} bytes`);
      if (read === 0) return new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, length));
    }
  } finally {
    closeSync(file);
  }
};

/** Room for a token, a key or a service account; a larger file is the wrong file. */
const SECRET_BYTES = 65_536;

/** The content of a secret's file without its last line break, which editors add and nobody means. */
export const readSecretFile = (path: string, readFile: ReadFile): string =>
  readFile(path, SECRET_BYTES).replace(/\r?\n$/, "");

/** Whether two paths lead to one file, by whatever links: mounted secrets are links, and have a second path without them. */
export function isSameFile(one: string, other: string): boolean {
  try {
    const [first, second] = [statSync(one, { bigint: true }), statSync(other, { bigint: true })];
    return first.dev === second.dev && first.ino === second.ino;
  } catch {
    // One that cannot be looked at cannot be read either, which its reader will say.
    return false;
  }
}

/** Why a file could not be read, without its path: a secret given in place of a path would be printed with it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "not UTF-8 text";
  return code ?? error.message;
}

export const isMissingFile = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";
