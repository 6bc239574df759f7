import type { ReactNode } from "react";
import { groupDigits } from "../../format/money.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import type { Compared } from "./compared.ts";

const REASONS: Record<Compared["skipped"][number]["reason"], string> = {
  other_vendor: "of another vendor",
  not_matched: "with another id",
  other_mode: "neither chat, responses nor embedding",
  other_wire: "embeddings that are not asked for as OpenAI's are",
  no_price: "without a price per token",
  free: "priced at 0, which often means unknown",
  other_units: "also priced by something other than tokens",
  several_prices: "dearer for images or reasoning",
  search_by_size: "searching on every call, priced by size",
  no_output_limit: "without a limit of output",
};

/** Not wanted, and so not listed one by one. */
const CHOSEN = new Set(["other_vendor", "not_matched"]);

type Row = { key: string; what: "left out" | "refused" | "field"; id: string; field: string; why: string };

const TONES: Record<Row["what"], Tone> = { "left out": "neutral", refused: "bad", field: "warn" };

const COLUMNS: readonly Column<Row>[] = [
  {
    id: "what",
    head: "What",
    width: 112,
    cell: ({ what }) => <Badge tone={TONES[what]}>{what}</Badge>,
    sort: ({ what }) => what,
    plain: ({ what }) => what,
  },
  {
    id: "id",
    head: "Model",
    width: 260,
    cell: ({ id }) => <span title={id}>{id}</span>,
    sort: ({ id }) => id,
    plain: ({ id }) => id,
  },
  {
    id: "why",
    head: "Why",
    cell: ({ why, field }) => <span title={`${field} ${why}`}>{why}</span>,
    sort: ({ why }) => why,
    plain: ({ why }) => why,
  },
  {
    id: "field",
    head: "Field",
    width: 280,
    cell: ({ field }) => (field === "" ? <span className="text-ink-3">–</span> : <span title={field}>{field}</span>),
    sort: ({ field }) => field || null,
    plain: ({ field }) => field,
  },
];

/** Every model of a list that was wanted and is not taken, and every field that a model is taken without, with the reason. */
export function LeftOut({ compared: { skipped, refused, left_out: fields } }: { compared: Compared }): ReactNode {
  const rows = [
    ...refused.map((one): Row => ({ ...one, key: `refused ${one.id}`, what: "refused", why: one.problem })),
    ...fields.map((one): Row => ({ ...one, key: `${one.field} ${one.id}`, what: "field", why: one.problem })),
    ...skipped.flatMap(({ reason, ids }) =>
      (CHOSEN.has(reason) ? [] : ids).map((id): Row => ({
        key: `left out ${id}`,
        what: "left out",
        id,
        field: "",
        why: REASONS[reason],
      })),
    ),
  ];
  const counts = [
    ...skipped.map(({ reason, models }) => `${groupDigits(models)} ${REASONS[reason]}`),
    ...(refused.length > 0 ? [`${groupDigits(refused.length)} with a number that cannot be right`] : []),
  ];
  return (
    <>
      {rows.length > 0 && (
        <DataTable label="Left out" columns={COLUMNS} rows={rows} rowKey={({ key }) => key} height={240} />
      )}
      <p className="text-small text-ink-2">
        {counts.length > 0 && `Models left out: ${counts.join(", ")}. `}
        {fields.length > 0 &&
          `${groupDigits(fields.length)} ${fields.length === 1 ? "field" : "fields"} cannot be right: the model is taken without.`}
      </p>
    </>
  );
}
