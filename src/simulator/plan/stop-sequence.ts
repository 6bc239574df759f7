import { type Content, givenContent } from "./content.ts";

type Met = { sequence: string; content: Content; tokens: number };

/** What is left of a text that ends where the first of these sequences would begin; null when none of them comes up. */
export function metSequence(content: Content, tokens: number, sequences: readonly string[]): Met | null {
  const text = content.text(tokens);
  let met: { sequence: string; at: number } | null = null;
  for (const sequence of sequences) {
    const at = sequence === "" ? -1 : text.indexOf(sequence);
    if (at >= 0 && (met === null || at < met.at)) met = { sequence, at };
  }
  if (met === null) return null;
  const said = tokensUpTo(content, met.at);
  return { sequence: met.sequence, content: givenContent(text.slice(0, met.at), said), tokens: said };
}

function tokensUpTo(content: Content, length: number): number {
  let tokens = 0;
  for (let reached = 0; reached < length; tokens += 1) reached += content.piece(tokens).length;
  return tokens;
}
