import { type ReactNode, useMemo } from "react";
import type { Margins, MissingCost } from "../../api/generated/admin.ts";
import { groupDigits, readCredits } from "../../format/money.ts";
import { CREDITS } from "../../format/unit.ts";
import { Amount } from "../../parts/amount.tsx";
import { READY } from "../../parts/state.tsx";
import { useMay } from "../../shell/may.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { countColumn, textColumn } from "../../table/plain-columns.tsx";
import type { CostOf } from "./cost-dialog.tsx";

/** What was charged without a cost, and what it lacks. */
export function MissingCosts({
  of: { missing, more },
  onGive,
}: {
  of: Margins;
  onGive: (of: CostOf) => void;
}): ReactNode {
  const canGive = useMay()("setCost");
  const columns = useMemo(() => (canGive ? [...COLUMNS, giveColumn(onGive)] : COLUMNS), [canGive, onGive]);
  return (
    <DataTable
      label="Without a cost"
      columns={columns}
      rows={missing}
      rowKey={({ provider, upstream_model: model, part }) => JSON.stringify([provider, model, part])}
      height={260}
      shown={
        more.missing === 0 ? READY : { kind: "too-many", note: `${groupDigits(more.missing)} more are not listed.` }
      }
    />
  );
}

const NONE = <span className="text-ink-3">not recorded</span>;

const COLUMNS: readonly Column<MissingCost>[] = [
  textColumn("provider", "Provider", ({ provider }) => provider, {
    width: 176,
    cell: ({ provider }) => provider ?? NONE,
  }),
  textColumn("upstream", "Its name there", ({ upstream_model: model }) => model, {
    cell: ({ upstream_model: model }) => (model === null ? NONE : <span title={model}>{model}</span>),
  }),
  textColumn("lacks", "Lacks", ({ part }) => part ?? "any cost", { width: 176 }),
  countColumn("requests", "Requests", ({ requests }) => requests, { width: 104 }),
  {
    id: "charged",
    head: "Charged (credits)",
    width: 144,
    align: "right",
    cell: ({ charged }) => <Amount value={readCredits(charged)} unit={CREDITS} />,
    sort: ({ charged }) => readCredits(charged),
    plain: ({ charged }) => charged,
  },
];

const giveColumn = (onGive: (of: CostOf) => void): Column<MissingCost> => ({
  id: "give",
  head: "Action",
  width: 128,
  align: "right",
  cell: ({ provider, upstream_model: upstreamModel }) =>
    provider !== null &&
    upstreamModel !== null && (
      <button
        type="button"
        aria-label={`Give its cost: ${upstreamModel}`}
        onClick={() => onGive({ provider, upstreamModel, cost: null })}
        className="min-h-6 text-accent hover:underline"
      >
        Give its cost
      </button>
    ),
  plain: () => "",
});
