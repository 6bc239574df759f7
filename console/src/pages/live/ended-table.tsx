import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { groupDigits } from "../../format/money.ts";
import { DURATION } from "../../format/unit.ts";
import { Moment } from "../../parts/amount.tsx";
import { READY } from "../../parts/state.tsx";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { Charged } from "../requests/charged.tsx";
import { CodeBadge } from "../requests/code-badge.tsx";
import { accountCell, accountOf } from "../requests/request-columns.tsx";
import type { Ended } from "./live-feed.ts";

const NONE = <span className="text-ink-3">–</span>;
const codeOf = ({ code }: Ended): string => code ?? "ok";

const COLUMNS: readonly Column<Ended>[] = [
  {
    id: "at",
    head: "At",
    width: 168,
    cell: ({ at }) => <Moment atMs={Date.parse(at)} />,
    plain: ({ at }) => at,
  },
  {
    id: "code",
    head: "Ended",
    width: 212,
    cell: (row) => <CodeBadge status={row.status} code={codeOf(row)} />,
    plain: (row) => `${row.status} ${codeOf(row)}`,
  },
  { id: "key", head: "Key", width: 128, cell: ({ key_prefix: key }) => key ?? NONE, plain: (row) => row.key_prefix },
  { id: "account", head: "Account", cell: accountCell, plain: (row) => accountOf(row) ?? "" },
  { id: "model", head: "Model", cell: ({ model }) => model ?? NONE, plain: ({ model }) => model ?? "" },
  {
    id: "output",
    head: "Output",
    width: 92,
    align: "right",
    cell: ({ output_tokens: output }) => groupDigits(output),
    plain: ({ output_tokens: output }) => String(output),
  },
  {
    id: "charged",
    head: "Charged",
    width: 124,
    align: "right",
    cell: ({ charged }) => <Charged amounts={charged} />,
    plain: ({ charged }) => charged?.credits ?? charged?.tokens ?? "",
  },
  {
    id: "took",
    head: "Took",
    width: 96,
    align: "right",
    cell: ({ took_ms: took }) => DURATION.show(BigInt(took) * 1000n),
    plain: ({ took_ms: took }) => String(took),
  },
];

type Props = { ended: readonly Ended[]; missed: number };

/** What ended while one watched; each opens in the inspector. */
export function EndedTable({ ended, missed }: Props): ReactNode {
  const navigate = useNavigate();
  return (
    <DataTable
      label="Ended just now"
      columns={COLUMNS}
      rows={ended}
      rowKey={({ request_id: id }) => id}
      height={320}
      onOpen={({ request_id: id }) => void navigate({ to: "/requests/$request", params: { request: id } })}
      shown={
        ended.length === 0
          ? { kind: "empty", title: "Nothing has ended since this page was opened" }
          : missed > 0
            ? { kind: "partial", note: `${groupDigits(missed)} more ended and are not listed here. See Requests.` }
            : READY
      }
    />
  );
}
