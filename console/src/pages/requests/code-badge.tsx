import type { ReactNode } from "react";
import { groupDigits } from "../../format/money.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";

type Ended = { status: number; code: string; times?: number };

/** Delivered, left by its client, rejected, failed. */
export function toneOf({ status, code }: Ended): Tone {
  if (status >= 500) return "bad";
  if (status >= 400) return "warn";
  return code === "ok" ? "good" : "neutral";
}

export const CodeBadge = (ended: Ended): ReactNode => (
  <Badge tone={toneOf(ended)}>
    {ended.status} {ended.code}
    {ended.times !== undefined && ended.times > 1 && ` × ${groupDigits(ended.times)}`}
  </Badge>
);
