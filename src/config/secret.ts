import { inspect } from "node:util";
import type { ReadFile } from "./read-text-file.ts";

/** A value that must not be printed by accident. Every way of turning it into text says `[secret]`, except `reveal`. */
export type Secret = {
  reveal: () => string;
  toString: () => string;
  toJSON: () => string;
  [inspect.custom]: () => string;
};

export const SECRET_TEXT = "[secret]";

/** Room for a token, a key or a service account; a larger file is the wrong file. */
const SECRET_BYTES = 65_536;

/** The value lives in a closure, so that no walk over properties finds it. */
export function createSecret(value: string): Secret {
  const hidden = () => SECRET_TEXT;
  return Object.freeze({ reveal: () => value, toString: hidden, toJSON: hidden, [inspect.custom]: hidden });
}

/** The content of a secret's file without its last line break, which editors add and nobody means. */
export const readSecretFile = (path: string, readFile: ReadFile): string =>
  readFile(path, SECRET_BYTES).replace(/\r?\n$/, "");
