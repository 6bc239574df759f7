import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import type { LiveRequest } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { READY, type Shown } from "../../parts/state.tsx";
import { FilterChips } from "../../shell/filter-chips.tsx";
import type { PageSearch } from "../../routes/search.ts";
import { sessionQuery } from "../../shell/session.ts";
import { usePageSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { CancelDialog } from "./cancel-dialog.tsx";
import { EndedTable } from "./ended-table.tsx";
import { liveColumns } from "./live-columns.tsx";
import type { LiveState, LiveView } from "./live-feed.ts";
import { LiveFigures } from "./live-figures.tsx";
import { useLive } from "./use-live.ts";

const MOST_LISTED = 200;

/** Requests in flight, second by second: what each holds, what it has produced of it, and a way to end it. */
export function Live(): ReactNode {
  const { search } = usePageSearch();
  const [isPaused, setPaused] = useState(false);
  const [asked, setAsked] = useState<LiveRequest | null>(null);
  const mayCancel = useMayCancel();
  const view = useLive(liveQuery(search), isPaused);
  const columns = useMemo(() => liveColumns(mayCancel ? setAsked : null), [mayCancel]);
  const { list, ended, missed } = view;
  return (
    <div className="flex flex-col gap-4">
      <FilterChips />
      <LiveFigures list={list} />
      <DataTable
        label="In flight"
        columns={columns}
        rows={list?.data ?? NO_ROWS}
        rowKey={({ request_id: id }) => id}
        height={460}
        shown={shownOf(view)}
        tools={
          <>
            <Connection state={isPaused ? "paused" : view.state} />
            <Button onClick={() => setPaused(!isPaused)}>{isPaused ? "Resume" : "Pause"}</Button>
          </>
        }
      />
      <EndedTable ended={ended} missed={missed} />
      <CancelDialog request={asked} onClose={() => setAsked(null)} />
    </div>
  );
}

const NO_ROWS: readonly LiveRequest[] = [];

/** The gateway asks for no more than it can filter by. */
function liveQuery({ key, account, model }: PageSearch): string {
  const given = Object.entries({ key, account, model }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return new URLSearchParams([["limit", String(MOST_LISTED)], ...given]).toString();
}

function useMayCancel(): boolean {
  const { data: session } = useQuery(sessionQuery);
  const grants = session?.person?.grants;
  return grants === undefined || grants.some(({ role }) => role === "owner" || role === "operator");
}

function shownOf({ state, list }: LiveView): Shown {
  if (list === null)
    return state === "lost"
      ? { kind: "error", error: new Error("The stream of events cannot be opened. It is tried again by itself.") }
      : { kind: "loading" };
  if (state === "lost")
    return { kind: "partial", note: "The connection is lost. What is shown is the last that came; it is tried again." };
  if (list.silent > 0)
    return {
      kind: "partial",
      note: `Of ${groupDigits(list.processes)} gateway processes, ${groupDigits(list.silent)} did not report within 3 seconds. Their requests are not listed.`,
    };
  if (list.data.length === 0)
    return { kind: "empty", title: "Nothing is in flight", hint: "Requests appear here while they run." };
  if (list.more === 0) return READY;
  return {
    kind: "too-many",
    note: `The oldest ${groupDigits(list.data.length)} are shown; ${groupDigits(list.more)} more are in flight. Filter by key, account or model to see them.`,
  };
}

const STATES: Record<LiveState | "paused", { tone: Tone; word: string }> = {
  connecting: { tone: "neutral", word: "connecting" },
  open: { tone: "good", word: "live" },
  lost: { tone: "warn", word: "connection lost" },
  paused: { tone: "neutral", word: "paused" },
};

const Connection = ({ state }: { state: LiveState | "paused" }): ReactNode => (
  <span role="status">
    <Badge tone={STATES[state].tone}>{STATES[state].word}</Badge>
  </span>
);
