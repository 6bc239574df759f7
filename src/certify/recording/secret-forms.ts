import { PUBLIC_CHARACTERS } from "../../core/secret/secret-pieces.ts";

/** In which a secret may be written without looking like itself. */
export const SECRET_FORMS = ["plain", "base64", "url", "hex"] as const;
export type SecretForm = (typeof SECRET_FORMS)[number];

export const FORM_NAMES: Readonly<Record<SecretForm, string>> = {
  plain: "in plain text",
  base64: "in base64",
  url: "percent-encoded",
  hex: "in hexadecimal",
};

/** How a secret is written in each form. Base64 depends on how many bytes stand before it, so there are three of it, and in two alphabets. */
export const WRITTEN: Readonly<Record<SecretForm, (secret: string) => string[]>> = {
  plain: (secret) => [secret],
  base64: (secret) =>
    [0, 1, 2].flatMap((before) => {
      const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
      // Characters that also hold bits of a neighbour are left out.
      const text = bytes.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
      return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
    }),
  url: (secret) => {
    const every = [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
    return [encodeURIComponent(secret), every, every.toUpperCase()];
  },
  hex: (secret) => {
    const text = Buffer.from(secret).toString("hex");
    return [text, text.toUpperCase()];
  },
};

/** How much of a written secret is public: keys begin with letters that only say whose they are. Of a short secret nothing is. */
export function publicCharactersOf(written: string, secret: string): number {
  if (secret.length <= 2 * PUBLIC_CHARACTERS) return 0;
  const beginning = secret.slice(0, PUBLIC_CHARACTERS);
  const shown = [beginning, encodeURIComponent(beginning)].find((text) => written.startsWith(text));
  return shown?.length ?? 0;
}
