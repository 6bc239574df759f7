import type { ReactNode } from "react";

export type Tone = "neutral" | "good" | "warn" | "bad" | "accent";

const TONES: Record<Tone, string> = {
  neutral: "bg-sunken text-ink-2",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  accent: "bg-accent-soft text-accent",
};

/** The mark in front differs by shape, for those who do not see the colour. */
const MARKS: Record<Tone, string> = { neutral: "○", good: "●", warn: "▲", bad: "■", accent: "●" };

export const Badge = ({ tone = "neutral", children }: { tone?: Tone; children: ReactNode }): ReactNode => (
  <span
    className={`inline-flex items-center gap-1 rounded-full px-2 py-px align-middle text-small font-medium whitespace-nowrap ${TONES[tone]}`}
  >
    <span aria-hidden="true" className="text-[7px] leading-none">
      {MARKS[tone]}
    </span>
    {children}
  </span>
);
