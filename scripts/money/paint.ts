import { parseCredits } from "../../src/core/money/money.ts";

/** What the pictures of money have in common. */
export const COLOURS = ".free{fill:#7fc8a9}.held{fill:#f0b35e}.used{fill:#c3c9d1}";
export const DARK_COLOURS = ".free{fill:#2c7a5b}.held{fill:#a8681c}.used{fill:#444c56}";

export const credits = (text: string): bigint => parseCredits(text) ?? 0n;

type Step = { from: number; to: number; low: number; high: number };

/** A band whose edges change in steps. */
export function stepped(name: string, steps: readonly Step[]): string {
  const edge = (side: "low" | "high"): [number, number][] =>
    steps.flatMap((step): [number, number][] => [
      [step.from, step[side]],
      [step.to, step[side]],
    ]);
  const points = [...edge("high"), ...edge("low").toReversed()].map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`);
  return `<polygon class="${name}" points="${points.join(" ")}"/>`;
}

export function legend(left: number, top: number): string {
  const entries: [name: string, text: string, shift: number][] = [
    ["free", "available", 0],
    ["held", "reserved for running requests", 130],
    ["used", "charged", 370],
  ];
  return entries
    .map(([name, text, shift]) => {
      const px = left + shift;
      return `<rect class="${name}" x="${px}" y="${top}" width="14" height="14"/><text x="${px + 20}" y="${top + 12}">${text}</text>`;
    })
    .join("");
}
