import { endOfPieces, findPiece, PIECE_CHARACTERS, piecesOf } from "../../core/secret/secret-pieces.ts";
import { publicCharactersOf, SECRET_FORMS, type SecretForm, WRITTEN } from "./secret-forms.ts";

export const MASK = "[credential]";

export type MaskSecrets = (text: string) => string;

/** Takes secrets out of a text, in every form, also where only a part of one was written. */
export function createMaskSecrets(
  secrets: readonly string[],
  forms: readonly SecretForm[] = SECRET_FORMS,
): MaskSecrets {
  const written = forms.flatMap((form) => secrets.flatMap((secret) => writtenIn(form, secret)));
  const short = written.filter(({ text }) => text.length < PIECE_CHARACTERS).map(({ text }) => text);
  const long = written.filter(({ text }) => text.length >= PIECE_CHARACTERS);
  const publicOf = new Map(long.map(({ text, open }) => [text, open]));
  const pieces = piecesOf(publicOf.keys(), (text) => publicOf.get(text) ?? 0);
  return (given) => {
    let text = short.reduce((rest, secret) => rest.replaceAll(secret, MASK), given);
    for (let at = findPiece(text, pieces); at !== -1; at = findPiece(text, pieces, at + MASK.length))
      text = text.slice(0, at) + MASK + text.slice(endOfPieces(text, pieces, at));
    return text;
  };
}

const writtenIn = (form: SecretForm, secret: string): { text: string; open: number }[] =>
  WRITTEN[form](secret)
    .filter((text) => text !== "")
    .map((text) => ({ text, open: publicCharactersOf(text, secret) }));
