import type { Content } from "./content.ts";
import type { Thoughts } from "./script.ts";

/** How much of a block is said: after the caller's limit, and whether that is all of it. */
type Said = { tokens: number; content: Content; whole: boolean };

/** A search or a page of the provider's own, and how many tokens it found; null: it was told that it may not. */
export type ProviderRun = { action: "search" | "page"; found: number | null };

/** One thing an answer says, in no dialect's words. Calls are numbered from 0. */
export type Block = Said &
  (
    | { kind: "text" }
    | { kind: "refusal" }
    | { kind: "thinking"; thoughts: Thoughts }
    | { kind: "call"; name: string; number: number }
    | ({ kind: "search"; number: number } & ProviderRun)
  );

/** Blocks that are written side by side, a token of each in turn; most stand alone. */
export type Group = readonly Block[];

export const textOf = ({ content, tokens }: Said): string => content.text(tokens);

export const tokensOf = (group: Group): number => group.reduce((sum, { tokens }) => sum + tokens, 0);

/** Why an answer ends, in no dialect's words. */
export type Stop = { reason: "end" | "length" | "tool" | "refused" | "sequence"; sequence: string | null };
