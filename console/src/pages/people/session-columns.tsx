import type { ReactNode } from "react";
import type { Session } from "../../api/generated/admin.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import type { Column } from "../../table/column.ts";

type Parts = {
  nowMs: number;
  /** The one that the reader is in. */
  current: string | null;
  /** Null: this reader may not end any. */
  onEnd: ((session: Session) => void) | null;
};

const moment = (id: string, head: string, of: (session: Session) => string, nowMs?: number): Column<Session> => ({
  id,
  head,
  width: nowMs === undefined ? 180 : 104,
  cell: (session) => <Moment atMs={Date.parse(of(session))} {...(nowMs !== undefined && { nowMs })} />,
  sort: of,
  plain: of,
});

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
  {
    id: "address",
    head: "Address",
    cell: ({ address }) => address,
    sort: ({ address }) => address,
    plain: ({ address }) => address,
  },
  {
    id: "via",
    head: "Signed in with",
    width: 128,
    cell: ({ via }) => (via === "sso" ? "single sign-on" : via),
    sort: ({ via }) => via,
    plain: ({ via }) => via,
  },
  moment("created", "Signed in", ({ created_at: at }) => at),
  moment("seen", "Last seen", ({ last_seen_at: at }) => at, nowMs),
  moment("expires", "Ends", ({ expires_at: at }) => at, nowMs),
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
