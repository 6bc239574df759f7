import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { call } from "../../api/call.ts";
import { queryOf } from "../../api/query.ts";
import type { NoticeEndpoint, TestedWebhook } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { DURATION } from "../../format/unit.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { tellFailure } from "../../parts/toast.tsx";
import { useMay } from "../../shell/may.ts";
import { useNow } from "../../shell/use-range.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { useRetry } from "./notice-dialog.tsx";

const REFRESH_MS = 15_000;

/** Where notices go, what has not arrived there, and a sample to see whether one would. */
export function Endpoints(): ReactNode {
  const may = useMay();
  const nowMs = useNow(60_000);
  const found = useQuery({
    ...queryOf("GET /admin/v1/notices/endpoints"),
    refetchInterval: REFRESH_MS,
  });
  const test = useMutation({
    mutationFn: (endpoint: string | null) => call("POST /admin/v1/notices/test", { body: { endpoint } }),
    onError: tellFailure,
  });
  const retry = useRetry(null);
  const rows = found.data?.endpoints ?? [];
  const tested = test.data?.tested;
  const columns = useMemo(() => columnsOf(nowMs, tested), [nowMs, tested]);
  const dead = rows.reduce((sum, one) => sum + one.dead, 0);
  const hasWebhook = rows.some(({ url }) => url !== null);
  return (
    <DataTable
      label="Where are notices sent?"
      columns={columns}
      rows={rows}
      rowKey={({ endpoint }) => endpoint}
      height={320}
      shown={shownOf(found, rows.length === 0 ? NOWHERE : null)}
      tools={
        <>
          {!hasWebhook && rows.length > 0 && (
            <span className="px-1 text-small text-ink-3">No webhook: set notices.webhooks.</span>
          )}
          {dead > 0 && may("retryNotices") && (
            <Button icon="retry" busy={retry.isPending} onClick={() => retry.mutate()}>
              Send {groupDigits(dead)} dead again
            </Button>
          )}
          {hasWebhook && may("testNotices") && (
            <Button busy={test.isPending} onClick={() => test.mutate(null)}>
              {test.isPending ? "Sending…" : "Send a sample"}
            </Button>
          )}
        </>
      }
    />
  );
}

const NOWHERE = {
  title: "Notices are sent nowhere yet",
  hint: "A gateway that runs writes them to its log, and to every webhook in notices.webhooks.",
};

const count = (id: "waiting" | "dead", head: string): Column<NoticeEndpoint> => ({
  id,
  head,
  width: 96,
  align: "right",
  cell: (row) => (
    <span className={id === "dead" && row.dead > 0 ? "font-medium text-bad" : ""}>{groupDigits(row[id])}</span>
  ),
  sort: (row) => row[id],
  plain: (row) => String(row[id]),
});

const columnsOf = (nowMs: number, tested: readonly TestedWebhook[] | undefined): readonly Column<NoticeEndpoint>[] => {
  const testOf = ({ endpoint }: NoticeEndpoint) => tested?.find((one) => one.endpoint === endpoint);
  return [
    {
      id: "endpoint",
      head: "Name",
      width: 136,
      cell: ({ endpoint }) => <span className="font-medium">{endpoint}</span>,
      sort: ({ endpoint }) => endpoint,
      plain: ({ endpoint }) => endpoint,
    },
    {
      id: "url",
      head: "Address",
      width: 280,
      cell: ({ endpoint, url }) => url ?? <span className="text-ink-3">{addressOf(endpoint)}</span>,
      sort: ({ url }) => url,
      plain: ({ endpoint, url }) => url ?? addressOf(endpoint),
    },
    count("waiting", "Waiting"),
    count("dead", "Dead"),
    {
      id: "seen",
      head: "Last in settings",
      width: 136,
      cell: ({ seen_at: at }) => <Moment atMs={Date.parse(at)} nowMs={nowMs} />,
      sort: ({ seen_at: at }) => at,
      plain: ({ seen_at: at }) => at,
    },
    {
      id: "sample",
      head: "Last sample",
      cell: (row) => <Sample of={testOf(row)} />,
      plain: (row) => sampleText(testOf(row)),
    },
  ];
};

const addressOf = (endpoint: string): string => (endpoint === "log" ? "the log of each process" : "in another process");

function sampleText(tested: TestedWebhook | undefined): string {
  if (tested === undefined) return "";
  const took = DURATION.show(BigInt(tested.took_ms) * 1000n);
  const what = [tested.status, tested.problem].filter((part) => part !== null).join(" ");
  return `${what || "accepted"} in ${took}${tested.said === "" ? "" : `: ${tested.said}`}`;
}

const Sample = ({ of: tested }: { of: TestedWebhook | undefined }): ReactNode =>
  tested === undefined ? (
    <span className="text-ink-3">–</span>
  ) : (
    <span className="inline-flex items-center gap-2" title={sampleText(tested)}>
      <Badge tone={tested.delivered ? "good" : "bad"}>{tested.delivered ? "accepted" : "not accepted"}</Badge>
      <span className="text-ink-2">{sampleText(tested)}</span>
    </span>
  );
