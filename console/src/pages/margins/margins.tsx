import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { Margins as Report } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { DAY_MS } from "../../format/time.ts";
import { CREDITS, PERCENT } from "../../format/unit.ts";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Figure, Figures } from "../../parts/figure.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import type { Shown } from "../../parts/state.tsx";
import { useOwnSearch, usePageSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { CostDialog, type CostOf } from "./cost-dialog.tsx";
import { CostsTable } from "./costs-table.tsx";
import { marginColumns } from "./margin-columns.tsx";
import { MissingCosts } from "./missing-costs.tsx";
import { DOLLARS, knownOf, readUsd } from "./known.ts";

const GROUPS = { model: "Model", account: "Account", day: "Day", provider: "Provider" } as const;
type By = keyof typeof GROUPS;
const CHOICES = Object.entries(GROUPS).map(([value, name]) => ({ value, name: `By ${name.toLowerCase()}` }));
const MOST_DAYS = 92;

/** What is left of what was charged, by the costs that the operator has given. */
export function Margins(): ReactNode {
  const navigate = useNavigate();
  const { range } = usePageSearch();
  const { own, changeOwn } = useOwnSearch("/shell/margins");
  const [giving, setGiving] = useState<CostOf | null>(null);
  const by = (Object.hasOwn(GROUPS, own.by ?? "") ? own.by : "model") as By;
  const [from, to] = [dayOf(range.fromMs), dayOf(range.toMs - 1)];
  const isLong = range.toMs - range.fromMs > MOST_DAYS * DAY_MS;
  const report = useQuery({
    ...queryOf("GET /admin/v1/ledger/margins", { query: { by, from, to } }),
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(() => report.data?.groups ?? [], [report.data]);
  const columns = useMemo(() => marginColumns(GROUPS[report.data?.by ?? by]), [report.data?.by, by]);
  const none = { title: "Nothing was charged in these days", hint: "Choose a longer span above." };
  return (
    <div className="flex flex-col gap-4">
      {report.data && <Sums of={report.data} />}
      <DataTable
        label="Margins"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id ?? ""}
        height={420}
        shown={noted(shownOf(report, rows.length === 0 ? none : null), report.data)}
        tools={
          <>
            <Button onClick={() => void navigate({ to: "/margins/bills" })}>Compare bills</Button>
            <Choice label="Group by" value={by} choices={CHOICES} onChoose={(chosen) => changeOwn({ by: chosen })} />
          </>
        }
      />
      <p className="px-1 text-small text-ink-3">
        {isLong ? `At most ${MOST_DAYS} days are added up. ` : ""}
        Whole days of UTC, {from} to {to}. A credit counts as {dollarsOf(report.data?.credit_usd)}. Requests without a
        cost are in no margin.
      </p>
      {report.data && report.data.missing.length > 0 && <MissingCosts of={report.data} onGive={setGiving} />}
      <CostsTable onGive={setGiving} />
      {giving !== null && <CostDialog of={giving} onClose={() => setGiving(null)} />}
    </div>
  );
}

const countOf = (requests: number): string => `${groupDigits(requests)} ${requests === 1 ? "request" : "requests"}`;
const dollarsOf = (text = "…"): string => `${text} ${text === "1" ? "dollar" : "dollars"}`;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** What the figures do not say by themselves. */
function noted(shown: Shown, report: Report | undefined): Shown {
  if (shown.kind !== "ready" || report === undefined) return shown;
  const { total, more } = report;
  const notes = [
    more.groups > 0 ? `${groupDigits(more.groups)} more are not listed; the sums have them` : null,
    total.requests_before > 0 ? `${countOf(total.requests_before)} made before the cost was given` : null,
    total.in_tokens.requests > 0
      ? `${countOf(total.in_tokens.requests)} charged in tokens, without a margin: cost ${DOLLARS.show(readUsd(total.in_tokens.cost_usd))} dollars`
      : null,
  ].filter((note) => note !== null);
  return notes.length === 0 ? shown : { kind: "partial", note: `${notes.join(". ")}.` };
}

function Sums({ of: { total } }: { of: Report }): ReactNode {
  const known = knownOf(total);
  return (
    <Figures>
      <Figure label="Charged" value={known?.charged ?? null} unit={DOLLARS} note="with a cost" />
      <Figure label="Cost" value={known?.cost ?? null} unit={DOLLARS} />
      <Figure label="Margin" value={known?.margin ?? null} unit={DOLLARS} />
      <Figure label="Share of the charge" value={known?.share ?? null} unit={PERCENT} />
      <Figure
        label="Without a cost"
        value={readUsd(total.no_cost.charged)}
        unit={CREDITS}
        note={countOf(total.no_cost.requests)}
      />
      <Figure
        label="Given back"
        value={readUsd(total.refunded)}
        unit={CREDITS}
        note={total.refunded === "0" ? undefined : "taken off"}
      />
    </Figures>
  );
}
