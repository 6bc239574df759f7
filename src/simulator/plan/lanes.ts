import type { Content } from "./content.ts";

/** A block on its way out: what stands around each of its tokens. */
export type Lane = { before: string; content: Content; after: string };

/** Lanes take turns, so that every token is one event whatever is written side by side. */
export function tokenOf(lanes: readonly Lane[]): (index: number) => string {
  const [first] = lanes;
  if (first === undefined) return () => "";
  if (lanes.length === 1) {
    const { before, content, after } = first;
    return (index) => before + content.escapedPiece(index) + after;
  }
  return (index) => {
    const { before, content, after } = lanes[index % lanes.length] ?? first;
    return before + content.escapedPiece(Math.floor(index / lanes.length)) + after;
  };
}
