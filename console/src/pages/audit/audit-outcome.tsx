import type { ReactNode } from "react";
import type { AuditEntry } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";

const TONES: Record<AuditEntry["outcome"], Tone> = { done: "good", refused: "warn", failed: "bad", unknown: "neutral" };

export const outcomeText = ({ outcome, code, count }: AuditEntry): string =>
  `${outcome}${code === null ? "" : ` (${code})`}${count > 1 ? ` × ${groupDigits(count)}` : ""}`;

export const AuditOutcome = ({ entry }: { entry: AuditEntry }): ReactNode => (
  <Badge tone={TONES[entry.outcome]}>{outcomeText(entry)}</Badge>
);
