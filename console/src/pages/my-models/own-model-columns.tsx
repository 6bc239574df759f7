import type { ReactNode } from "react";
import { groupDigits } from "../../format/money.ts";
import { CREDITS, DURATION } from "../../format/unit.ts";
import { Amount } from "../../parts/amount.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import type { Column } from "../../table/column.ts";
import { costOf, type OwnModel, type Prices } from "./own-model.ts";

export type Tokens = { input: number; cached: number; output: number };

const NONE: ReactNode = <span className="text-ink-3">–</span>;

const price = (id: keyof Prices, head: string): Column<OwnModel> => ({
  id,
  head,
  width: 96,
  align: "right",
  cell: ({ prices }) => (prices === null ? NONE : <Amount value={prices[id]} unit={CREDITS} />),
  sort: ({ prices }) => prices?.[id] ?? null,
  plain: ({ prices }) => (prices === null ? "" : CREDITS.plain(prices[id])),
});

const size = (id: "context" | "output", key: string, head: string): Column<OwnModel> => ({
  id: key,
  head,
  width: 104,
  align: "right",
  cell: (model) => (model[id] === null ? NONE : groupDigits(model[id])),
  sort: (model) => model[id],
  plain: (model) => String(model[id] ?? ""),
});

const cost = (tokens: Tokens): Column<OwnModel> => ({
  id: "cost",
  head: "This request",
  width: 120,
  align: "right",
  cell: ({ prices }) => (prices === null ? NONE : <Amount value={costOf(prices, tokens)} unit={CREDITS} />),
  sort: ({ prices }) => (prices === null ? null : costOf(prices, tokens)),
  plain: ({ prices }) => (prices === null ? "" : CREDITS.plain(costOf(prices, tokens))),
});

/** `tokens`: the request whose price stands beside each model; null for keys that do not pay with credit. */
export const ownModelColumns = (tokens: Tokens | null): readonly Column<OwnModel>[] => [
  {
    id: "id",
    head: "Model",
    width: 216,
    cell: ({ id }) => (
      // A click on the id copies it, and does not open the row.
      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- it only keeps the click of the button inside from the row
      <span className="flex min-w-0 items-center gap-2" onClick={(event) => event.stopPropagation()}>
        <CopyText text={id} />
      </span>
    ),
    sort: ({ id }) => id,
    plain: ({ id }) => id,
  },
  {
    id: "name",
    head: "Name",
    width: 160,
    hidden: true,
    cell: ({ name }) => name ?? NONE,
    sort: ({ name }) => name,
    plain: ({ name }) => name ?? "",
  },
  ...(tokens === null
    ? []
    : [cost(tokens), price("input", "Input"), price("cacheRead", "Cached"), price("output", "Output")]),
  {
    id: "first",
    head: "First token",
    width: 104,
    align: "right",
    cell: ({ speed }) => (speed?.firstMs == null ? NONE : DURATION.show(BigInt(Math.round(speed.firstMs * 1000)))),
    sort: ({ speed }) => speed?.firstMs ?? null,
    plain: ({ speed }) => String(speed?.firstMs ?? ""),
  },
  {
    id: "speed",
    head: "Tokens / s",
    width: 96,
    align: "right",
    cell: ({ speed }) => (speed?.perSecond == null ? NONE : speed.perSecond.toFixed(1)),
    sort: ({ speed }) => speed?.perSecond ?? null,
    plain: ({ speed }) => String(speed?.perSecond ?? ""),
  },
  size("context", "context", "Context"),
  size("output", "most", "Most output"),
];
