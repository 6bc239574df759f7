import { inspect } from "node:util";

/** A value that must not be printed by accident. Every way of turning it into text says `[secret]`, except `reveal`. */
export type Secret = {
  reveal: () => string;
  toString: () => string;
  toJSON: () => string;
  [inspect.custom]: () => string;
};

export const SECRET_TEXT = "[secret]";

/** The value lives in a closure, so that no walk over properties finds it. */
export function createSecret(value: string): Secret {
  const hidden = () => SECRET_TEXT;
  return Object.freeze({ reveal: () => value, toString: hidden, toJSON: hidden, [inspect.custom]: hidden });
}
