import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Model } from "../../api/generated/admin.ts";
import { groupDigits, readCredits } from "../../format/money.ts";
import { CREDITS } from "../../format/unit.ts";
import { Amount } from "../../parts/amount.tsx";
import type { Column } from "../../table/column.ts";
import { textColumn } from "../../table/plain-columns.tsx";
import { ModelBadge, STATE_NAMES, stateOf } from "./model-state.tsx";
import type { PricePart } from "./price-parts.ts";

const NONE = <span className="text-ink-3">–</span>;

/** The order in which routes are tried: priority, then the heavier one. */
export const inOrder = (routes: Model["routes"]): Model["routes"] =>
  routes.toSorted((one, other) => one.priority - other.priority || other.weight - one.weight);

const routesText = ({ routes }: Model): string =>
  [...new Set(inOrder(routes).map(({ provider }) => provider))].join(" → ");

const priced = (part: PricePart, head: string, more: Partial<Column<Model>> = {}): Column<Model> => ({
  id: part,
  head,
  width: 92,
  align: "right",
  cell: ({ price }) => {
    const amount = price?.[part] ?? null;
    return amount === null ? NONE : <Amount value={readCredits(amount)} unit={CREDITS} />;
  },
  sort: ({ price }) => (price?.[part] == null ? null : readCredits(price[part])),
  plain: ({ price }) => price?.[part] ?? "",
  ...more,
});

const tokens = (id: "context_window" | "max_output_tokens", head: string): Column<Model> => ({
  id,
  head,
  width: 100,
  align: "right",
  cell: (model) => (model[id] === null ? NONE : groupDigits(model[id])),
  sort: (model) => model[id],
  plain: (model) => String(model[id] ?? ""),
});

/** `charged`: what each model charged lately, where that is known. */
export const modelColumns = (charged: ReadonlyMap<string, bigint>): readonly Column<Model>[] => [
  textColumn("id", "Model", ({ id }) => id, {
    cell: ({ id, display_name: name }) => (
      <Link to="/models/$model" params={{ model: id }} tabIndex={-1} title={name ?? id} className="hover:underline">
        {id}
      </Link>
    ),
  }),
  textColumn("name", "Display name", ({ display_name: name }) => name, {
    cell: ({ display_name: name }) => name ?? NONE,
    hidden: true,
  }),
  textColumn("status", "Status", (model) => STATE_NAMES[stateOf(model)], {
    width: 128,
    cell: (model) => <ModelBadge of={model} />,
  }),
  textColumn("routes", "Routes, in order", routesText, {
    cell: (model) => (model.routes.length === 0 ? NONE : <span title={routesText(model)}>{routesText(model)}</span>),
  }),
  tokens("context_window", "Context"),
  tokens("max_output_tokens", "Max output"),
  priced("input", "Input / M"),
  priced("output", "Output / M"),
  priced("cache_read", "Cached / M"),
  priced("cache_write_5m", "Cache write / M", { hidden: true, width: 132 }),
  {
    id: "upcoming",
    head: "Next price",
    width: 112,
    hidden: true,
    cell: upcoming,
    sort: ({ upcoming_prices: [next] }) => next?.effective_from ?? null,
    plain: ({ upcoming_prices: [next] }) => next?.effective_from ?? "",
  },
  {
    id: "charged",
    head: "Charged, 30 d",
    width: 112,
    align: "right",
    cell: ({ id }) => {
      const amount = charged.get(id);
      return amount === undefined ? NONE : <Amount value={amount} unit={CREDITS} />;
    },
    sort: ({ id }) => charged.get(id) ?? null,
    plain: ({ id }) => CREDITS.plain(charged.get(id) ?? 0n),
  },
];

function upcoming({ upcoming_prices: [next] }: Model): ReactNode {
  if (next === undefined) return NONE;
  return <time dateTime={next.effective_from}>{next.effective_from.slice(0, 10)}</time>;
}
