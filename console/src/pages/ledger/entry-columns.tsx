import type { ReactNode } from "react";
import type { Journal, JournalEntry } from "../../api/generated/admin.ts";
import { readAmount, unitOf } from "../../format/counted.ts";
import { groupDigits } from "../../format/money.ts";
import { Amount } from "../../parts/amount.tsx";
import type { Column } from "../../table/column.ts";
import { momentColumn, textColumn } from "../../table/plain-columns.tsx";

const nothing = <span className="text-ink-3">–</span>;

/** What came or went, in the unit of the ledger; null: it is counted in another. */
const amountOf = ({ credits, tokens }: JournalEntry, unit: Journal["unit"]): bigint | null => {
  const text = unit === "credit" ? credits : tokens;
  return text === null ? null : readAmount(unit, text);
};

const Change = ({ value, unit }: { value: bigint; unit: Journal["unit"] }): ReactNode => (
  <span className={value > 0n ? "text-good" : ""}>
    {value > 0n && "+"}
    <Amount value={value} unit={unitOf(unit)} />
  </span>
);

export const entryColumns = (unit: Journal["unit"]): Column<JournalEntry>[] => [
  momentColumn("at", "Time", ({ at }) => at, { width: 176 }),
  textColumn("kind", "Kind", ({ kind }) => kind, { width: 104 }),
  {
    id: "amount",
    head: `Change (${unitOf(unit).name})`,
    width: 144,
    align: "right",
    cell: (entry) => {
      const value = amountOf(entry, unit);
      return value === null ? nothing : <Change value={value} unit={unit} />;
    },
    sort: (entry) => amountOf(entry, unit),
    plain: ({ credits, tokens }) => (unit === "credit" ? credits : tokens) ?? "",
  },
  {
    id: "running",
    head: "Balance after",
    width: 136,
    align: "right",
    cell: ({ running }) =>
      running === null ? nothing : <Amount value={readAmount(unit, running)} unit={unitOf(unit)} />,
    plain: ({ running }) => running ?? "",
  },
  textColumn("model", "Model", ({ model }) => model, { width: 136, cell: ({ model }) => model ?? nothing }),
  {
    id: "tokens",
    head: "In / out",
    width: 120,
    align: "right",
    cell: ({ input_tokens: input, output_tokens: output }) =>
      input === null || output === null ? nothing : `${groupDigits(input)} / ${groupDigits(output)}`,
    plain: ({ input_tokens: input, output_tokens: output }) => (input === null ? "" : `${input}/${output}`),
  },
  {
    id: "reference",
    head: "Request or reference",
    cell: ({ request_id: request, reference }) =>
      request === null ? (reference ?? nothing) : <code className="font-mono text-small">{request}</code>,
    plain: ({ request_id: request, reference }) => request ?? reference ?? "",
  },
  textColumn("actor", "Who", ({ actor }) => actor, {
    width: 144,
    cell: ({ actor }) => actor ?? <span className="text-ink-3">a request</span>,
  }),
];
