import type { ReactNode } from "react";
import type { Session } from "../../api/generated/admin.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import type { Column } from "../../table/column.ts";
import { momentColumn, textColumn } from "../../table/plain-columns.tsx";

type Parts = {
  nowMs: number;
  /** The one that the reader is in. */
  current: string | null;
  /** Null: this reader may not end any. */
  onEnd: ((session: Session) => void) | null;
};

export const sessionColumns = ({ nowMs, current, onEnd }: Parts): readonly Column<Session>[] => [
  {
    id: "agent",
    head: "Browser",
    width: 232,
    cell: ({ id, agent }) => (
      <span title={agent}>
        {browserOf(agent)} {id === current && <Badge tone="accent">this one</Badge>}
      </span>
    ),
    sort: ({ agent }) => browserOf(agent),
    plain: ({ agent }) => agent,
  },
  textColumn("address", "Address", ({ address }) => address),
  textColumn("via", "Signed in with", ({ via }) => via, {
    width: 128,
    cell: ({ via }) => (via === "sso" ? "single sign-on" : via),
  }),
  momentColumn("created", "Signed in", ({ created_at: at }) => at, { width: 180 }),
  momentColumn("seen", "Last seen", ({ last_seen_at: at }) => at, { nowMs, width: 104 }),
  momentColumn("expires", "Ends", ({ expires_at: at }) => at, { nowMs, width: 104 }),
  ...(onEnd === null
    ? []
    : [
        {
          id: "end",
          head: "Action",
          width: 84,
          align: "right" as const,
          cell: (session: Session): ReactNode => (
            <Button
              look="quiet"
              className="h-7!"
              aria-label={`End the session of ${browserOf(session.agent)} at ${session.address}`}
              onClick={() => onEnd(session)}
            >
              End
            </Button>
          ),
          plain: () => "",
        },
      ]),
];

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrom(?:e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** `Firefox on Linux`; what is not known is told as it came. */
export function browserOf(agent: string): string {
  const find = (known: readonly [RegExp, string][]) => known.find(([pattern]) => pattern.test(agent))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (browser === undefined) return agent || "unknown";
  return system === undefined ? browser : `${browser} on ${system}`;
}
