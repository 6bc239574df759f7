/** The first characters of a key are public; they say in a log which key is meant. */
export const PUBLIC_CHARACTERS = 12;
/** A run of this many characters of a secret is no accident, and is enough to be ashamed of. */
export const PIECE_CHARACTERS = 10;

/** Every run of characters that would give a secret away, whichever part of it was written. */
export function piecesOf(secrets: Iterable<string>, publicCharacters: (secret: string) => number): Set<string> {
  const pieces = new Set<string>();
  for (const secret of secrets) {
    const start = Math.max(0, publicCharacters(secret) - PIECE_CHARACTERS + 1);
    for (let at = start; at + PIECE_CHARACTERS <= secret.length; at++)
      pieces.add(secret.slice(at, at + PIECE_CHARACTERS));
  }
  return pieces;
}

/** Where the first piece stands; -1 when none does. */
export function findPiece(text: string, pieces: ReadonlySet<string>, from = 0): number {
  for (let at = from; at + PIECE_CHARACTERS <= text.length; at++)
    if (pieces.has(text.slice(at, at + PIECE_CHARACTERS))) return at;
  return -1;
}

/** Where the run of pieces that begins at `at` ends. */
export function endOfPieces(text: string, pieces: ReadonlySet<string>, at: number): number {
  let end = at + PIECE_CHARACTERS;
  while (end < text.length && pieces.has(text.slice(end + 1 - PIECE_CHARACTERS, end + 1))) end++;
  return end;
}
