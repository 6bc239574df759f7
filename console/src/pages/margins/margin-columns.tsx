import type { ReactNode } from "react";
import type { Margin, MarginGroup } from "../../api/generated/admin.ts";
import { CREDITS, PERCENT, type Unit } from "../../format/unit.ts";
import { Amount } from "../../parts/amount.tsx";
import type { Column } from "../../table/column.ts";
import { countColumn, textColumn } from "../../table/plain-columns.tsx";
import { DOLLARS, knownOf, readUsd } from "./known.ts";

const NONE = <span className="text-ink-3">–</span>;

/** `plain`: with every digit, in the file. */
const moneyColumn = (
  id: string,
  head: string,
  { of, unit, plain }: { of: (row: Margin) => bigint | null; unit: Unit; plain: (row: Margin) => string },
): Column<MarginGroup> => ({
  id,
  head,
  width: 128,
  align: "right",
  cell: (row): ReactNode => {
    const value = of(row);
    return value === null ? NONE : <Amount value={value} unit={unit} />;
  },
  sort: of,
  plain: (row) => (of(row) === null ? "" : plain(row)),
});

export const marginColumns = (group: string): readonly Column<MarginGroup>[] => [
  textColumn("name", group, ({ name }) => name, {
    cell: ({ name }) => (name === null ? NONE : <span title={name}>{name}</span>),
  }),
  countColumn("requests", "Requests", ({ requests }) => requests, { width: 104 }),
  moneyColumn("charged", "Charged (dollars)", {
    of: (row) => knownOf(row)?.charged ?? null,
    unit: DOLLARS,
    plain: ({ charged_usd: text }) => text,
  }),
  moneyColumn("cost", "Cost (dollars)", {
    of: (row) => knownOf(row)?.cost ?? null,
    unit: DOLLARS,
    plain: ({ cost_usd: text }) => text,
  }),
  {
    ...moneyColumn("margin", "Margin (dollars)", {
      of: (row) => knownOf(row)?.margin ?? null,
      unit: DOLLARS,
      plain: ({ margin_usd: text }) => text,
    }),
    cell: (row) => {
      const margin = knownOf(row)?.margin ?? null;
      if (margin === null) return NONE;
      return (
        <span className={margin < 0n ? "text-bad" : ""}>
          <Amount value={margin} unit={DOLLARS} />
        </span>
      );
    },
  },
  {
    ...moneyColumn("share", "Share", {
      of: (row) => knownOf(row)?.share ?? null,
      unit: PERCENT,
      plain: (row) => PERCENT.plain(knownOf(row)?.share ?? 0n),
    }),
    width: 96,
    cell: (row) => {
      const share = knownOf(row)?.share ?? null;
      return share === null ? NONE : PERCENT.show(share);
    },
  },
  countColumn("no-cost", "Without a cost", ({ no_cost: { requests } }) => requests, { width: 128 }),
  moneyColumn("no-cost-charged", "Of that, credits", {
    of: ({ no_cost: { requests, charged } }) => (requests === 0 ? null : readUsd(charged)),
    unit: CREDITS,
    plain: ({ no_cost: { charged } }) => charged,
  }),
];
