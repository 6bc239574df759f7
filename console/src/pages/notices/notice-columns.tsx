import type { ReactNode } from "react";
import type { Notice, NoticeDelivery } from "../../api/generated/admin.ts";
import { PERIODS, readAmount, unitOf } from "../../format/counted.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import type { Column } from "../../table/column.ts";
import { momentColumn, textColumn } from "../../table/plain-columns.tsx";

type Owned = Pick<Notice, "account_path" | "key" | "kind" | "unit" | "period" | "models">;

/** Whose limit or purse it is. */
export const holderOf = ({ account_path: path, key }: Pick<Notice, "account_path" | "key">): string =>
  key === null ? path.join("/") : (key.label ?? `${key.prefix ?? key.id}…`);

/** Which of them: `limit of credits per month, for 2 models`. */
export function counterOf({ kind, unit, period, models }: Owned): string {
  const what = `${kind} of ${unitOf(unit).name}`;
  const when = kind === "limit" ? ` ${PERIODS[period]}` : "";
  return `${what}${when}${models === null ? "" : `, for ${models.join(", ")}`}`;
}

/** 80 %, or 10 credits left. */
export const thresholdText = ({ kind, unit, threshold }: Pick<Notice, "kind" | "unit" | "threshold">): string =>
  kind === "limit" ? `${threshold} %` : `${unitOf(unit).show(readAmount(unit, threshold))} ${unitOf(unit).name} left`;

const CAUSES: Record<Notice["cause"], { tone: Tone; words: string }> = {
  used: { tone: "warn", words: "used" },
  left: { tone: "warn", words: "runs low" },
  refused: { tone: "bad", words: "request refused" },
  too_large: { tone: "warn", words: "request too large" },
};

export const CauseBadge = ({ cause }: Pick<Notice, "cause">): ReactNode => (
  <Badge tone={CAUSES[cause].tone}>{CAUSES[cause].words}</Badge>
);

export const STATE_TONES: Record<NoticeDelivery["state"], Tone> = { waiting: "warn", delivered: "good", dead: "bad" };

/** What needs the reader first. */
const STATES = ["dead", "waiting", "delivered"] as const;

const deliveriesText = ({ deliveries }: Notice): string =>
  deliveries.map(({ endpoint, state }) => `${endpoint} ${state}`).join(", ");

export const noticeColumns = (nowMs: number): readonly Column<Notice>[] => [
  momentColumn("at", "At", ({ at }) => at, { nowMs, width: 104 }),
  textColumn("holder", "Whose", holderOf, {
    width: 200,
    cell: (notice) => <span title={holderOf(notice)}>{holderOf(notice)}</span>,
  }),
  textColumn("threshold", "Threshold", thresholdText, {
    width: 128,
    sort: ({ unit, kind, threshold }) => (kind === "limit" ? BigInt(threshold) : readAmount(unit, threshold)),
  }),
  textColumn("cause", "Cause", ({ cause }) => cause, { width: 136, cell: ({ cause }) => <CauseBadge cause={cause} /> }),
  {
    id: "message",
    head: "What it says",
    cell: ({ message }) => <span title={message}>{message}</span>,
    plain: ({ message }) => message,
  },
  {
    id: "deliveries",
    head: "Sent to",
    width: 264,
    cell: (notice) =>
      notice.deliveries.length === 0 ? (
        <span className="text-ink-3">nowhere</span>
      ) : (
        <span className="flex gap-1 overflow-hidden" title={deliveriesText(notice)}>
          {STATES.map((state) => {
            const count = notice.deliveries.filter((one) => one.state === state).length;
            return (
              count > 0 && (
                <Badge key={state} tone={STATE_TONES[state]}>
                  {count} {state}
                </Badge>
              )
            );
          })}
        </span>
      ),
    sort: deliveriesText,
    plain: deliveriesText,
  },
  {
    id: "counter",
    head: "Limit or purse",
    width: 240,
    hidden: true,
    cell: (notice) => counterOf(notice),
    sort: counterOf,
    plain: counterOf,
  },
  { id: "id", head: "Id", width: 280, hidden: true, cell: ({ id }) => id, plain: ({ id }) => id },
];
