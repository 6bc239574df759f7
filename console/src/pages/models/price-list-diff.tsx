import type { ReactNode } from "react";
import type { AnswerOf } from "../../api/call.ts";
import { groupDigits, readCredits } from "../../format/money.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Delta } from "../../parts/delta.tsx";
import { READY } from "../../parts/state.tsx";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { whenText } from "./price-sizes.ts";

export type Compared = AnswerOf<"POST /admin/v1/models/import/litellm">;
type Row = Compared["data"][number];
type Facts = Row["after"];

const TONES: Record<Row["change"], Tone> = { new: "good", changed: "warn", unchanged: "neutral", foreign: "bad" };
const WORDS: Record<Row["change"], string> = {
  new: "new",
  changed: "changed",
  unchanged: "unchanged",
  foreign: "another provider’s",
};

const REASONS: Record<Compared["skipped"][number]["reason"], string> = {
  other_vendor: "of another vendor",
  not_matched: "with another id",
  other_mode: "neither chat nor responses",
  no_price: "without a price per token",
  free: "priced at 0, which often means unknown",
  other_units: "also priced by something other than tokens",
  several_prices: "dearer for images or reasoning",
  search_by_size: "searching on every call, priced by size",
  no_output_limit: "without a limit of output",
};

export const changing = ({ data }: Compared): Row[] =>
  data.filter(({ change }) => change === "new" || change === "changed");

/** The value, or with another before it: 0.708 → 0.7375. */
function Value({ of, row }: { of: (facts: Facts) => string | null; row: Row }): ReactNode {
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

const value = (id: string, head: string, width: number, of: (facts: Facts) => string | null): Column<Row> => ({
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

const COLUMNS: readonly Column<Row>[] = [
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

/** What a price list would change, model by model; what is left out, by reason. */
export function PriceListDiff({
  compared,
  height = 320,
  tools,
}: {
  compared: Compared;
  height?: number;
  tools?: ReactNode;
}): ReactNode {
  const rows = changing(compared);
  const unchanged = compared.data.length - rows.length;
  return (
    <div className="flex flex-col gap-2">
      <DataTable
        label="What would change"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ id }) => id}
        height={height}
        tools={tools}
        shown={
          rows.length > 0
            ? READY
            : { kind: "empty", title: "Nothing would change", hint: "The catalogue has these models at these prices." }
        }
      />
      <p className="text-small text-ink-2">
        Prices are credits per million tokens. {unchanged > 0 && `${groupDigits(unchanged)} models stay as they are. `}
        {compared.skipped.map(({ reason, models }) => `${groupDigits(models)} ${REASONS[reason]}`).join(", ")}
        {compared.skipped.length > 0 && ": left out."}
      </p>
      {compared.left_out.length > 0 && (
        <p className="text-small text-ink-2">
          Taken without what cannot be right:{" "}
          {compared.left_out.map(({ id, field, problem }) => `${id} (${field} ${problem})`).join(", ")}
        </p>
      )}
      {compared.refused.length > 0 && (
        <p className="text-small text-warn">
          Not taken, because a number cannot be right:{" "}
          {compared.refused.map(({ id, field, problem }) => `${id} (${field} ${problem})`).join(", ")}
        </p>
      )}
    </div>
  );
}
