import type { ReactNode } from "react";
import { groupDigits, readCredits } from "../../format/money.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Delta } from "../../parts/delta.tsx";
import { READY } from "../../parts/state.tsx";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { changing, type Compared, type ComparedModel } from "./compared.ts";
import { LeftOut } from "./left-out.tsx";
import type { Ticks } from "./use-ticks.ts";
import { whenText } from "./price-sizes.ts";

type Facts = ComparedModel["after"];

const TONES: Record<ComparedModel["change"], Tone> = {
  new: "good",
  changed: "warn",
  unchanged: "neutral",
  foreign: "bad",
};
const WORDS: Record<ComparedModel["change"], string> = {
  new: "new",
  changed: "changed",
  unchanged: "unchanged",
  foreign: "another model’s",
};

/** The value, or with another before it: 0.708 → 0.7375. */
function Value({ of, row }: { of: (facts: Facts) => string | null; row: ComparedModel }): ReactNode {
  const [before, after] = [row.before && of(row.before), of(row.after)];
  if (row.before === null || before === after) return after ?? <span className="text-ink-3">–</span>;
  return (
    <span className="inline-flex items-center gap-1.5 align-middle whitespace-nowrap">
      {before !== null && after !== null && <Delta now={amountOf(after)} before={amountOf(before)} />}
      <del className="text-ink-3">{before ?? "none"}</del> →{" "}
      <ins className="font-medium no-underline">{after ?? "none"}</ins>
    </span>
  );
}

const value = (
  id: string,
  head: string,
  width: number,
  of: (facts: Facts) => string | null,
): Column<ComparedModel> => ({
  id,
  head,
  width,
  align: "right",
  cell: (row) => <Value of={of} row={row} />,
  sort: ({ after }) => {
    const text = of(after);
    return text === null ? null : amountOf(text);
  },
  plain: ({ after }) => of(after) ?? "",
});

/** Prices and counts are compared alike. */
const amountOf = (text: string): bigint => readCredits(text.replaceAll(",", ""));

const tokens = (count: number | null): string | null => (count === null ? null : groupDigits(count));

const linesText = ({ price }: Facts): string => (price?.when ?? []).map(whenText).join("; ");

const COLUMNS: readonly Column<ComparedModel>[] = [
  {
    id: "change",
    head: "Change",
    width: 112,
    cell: ({ change }) => <Badge tone={TONES[change]}>{WORDS[change]}</Badge>,
    sort: ({ change }) => change,
    plain: ({ change }) => change,
  },
  {
    id: "id",
    head: "Model",
    width: 240,
    cell: ({ id }) => <span title={id}>{id}</span>,
    sort: ({ id }) => id,
    plain: ({ id }) => id,
  },
  value("input", "Input", 168, ({ price }) => price?.input ?? null),
  value("output", "Output", 168, ({ price }) => price?.output ?? null),
  value("cached", "Cached input", 168, ({ price }) => price?.cache_read ?? null),
  {
    id: "when",
    head: "Larger inputs",
    width: 260,
    cell: ({ after }) => linesText(after) || <span className="text-ink-3">–</span>,
    plain: ({ after }) => linesText(after),
  },
  value("context", "Context", 128, ({ context_window: count }) => tokens(count)),
  value("most", "Most output", 128, ({ max_output_tokens: count }) => tokens(count)),
];

const tickColumn = (ticks: Ticks): Column<ComparedModel> => ({
  id: "tick",
  head: "Apply",
  width: 64,
  cell: ({ id }) => (
    <input
      type="checkbox"
      aria-label={`Apply ${id}`}
      checked={ticks.isTicked(id)}
      onChange={() => ticks.toggle(id)}
      className="size-4 align-middle accent-accent"
    />
  ),
  plain: ({ id }) => (ticks.isTicked(id) ? "yes" : "no"),
});

/** What a price list would change, model by model, each with a box; what is left out, by reason. */
export function PriceListDiff({
  compared,
  ticks,
  height = 320,
  tools,
}: {
  compared: Compared;
  ticks: Ticks;
  height?: number;
  tools?: ReactNode;
}): ReactNode {
  const rows = changing(compared);
  const unchanged = compared.data.length - rows.length;
  return (
    <div className="flex flex-col gap-2">
      <DataTable
        label="What would change"
        columns={[tickColumn(ticks), ...COLUMNS]}
        rows={rows}
        rowKey={({ id }) => id}
        height={height}
        tools={
          <>
            {rows.length > 0 && (
              <Button onClick={() => ticks.tickAll(ticks.ids.length === 0)}>
                {ticks.ids.length === 0 ? "Tick all" : "Untick all"}
              </Button>
            )}
            {tools}
          </>
        }
        shown={
          rows.length > 0
            ? READY
            : { kind: "empty", title: "Nothing would change", hint: "The catalogue has these models at these prices." }
        }
      />
      <p className="text-small text-ink-2">
        {compared.shipped_list && (
          <>
            The list that ships with Tollgate is of {compared.shipped_list.date},{" "}
            {groupDigits(compared.shipped_list.age_days)} days ago.{" "}
          </>
        )}
        Prices are credits per million tokens. {unchanged > 0 && `${groupDigits(unchanged)} models stay as they are.`}
      </p>
      <LeftOut compared={compared} />
    </div>
  );
}
