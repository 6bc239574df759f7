import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { BookedPrice, Model } from "../../api/generated/admin.ts";
import { type Step, StepLine } from "../../charts/step-line.tsx";
import { exactCredits, readCredits } from "../../format/money.ts";
import { CREDITS } from "../../format/unit.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Choices } from "../../parts/choices.tsx";
import { Delta } from "../../parts/delta.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { PRICE_PARTS, type PricePart } from "./price-parts.ts";
import { whenText } from "./price-sizes.ts";

const PAGE = 1000;
const DRAWN = ["input", "output"] as const;

type Row = BookedPrice & { before: BookedPrice | null; state: "in force" | "to come" | "past" | "withdrawn" };

/** Every version of the price: as a line, and as a list with what changed. */
export function PriceHistory({ of: model }: { of: Model }): ReactNode {
  const [part, setPart] = useState<(typeof DRAWN)[number]>("output");
  const [nowMs] = useState(Date.now);
  const prices = useQuery(
    queryOf("GET /admin/v1/models/{model}/prices", { params: { model: model.id }, query: { limit: PAGE } }),
  );
  const booked = prices.data?.data ?? [];
  const rows = rowsOf(booked, model);
  const shown = shownOf(prices, booked.length === 0 ? { title: "It has never had a price" } : null);
  const sinceMs = Date.parse(model.created_at);
  const steps = booked
    .filter(({ withdrawn_at: at }) => at === null)
    .map((price): Step => ({
      atMs: Math.max(sinceMs, Date.parse(price.effective_from)),
      value: readCredits(price[part]),
      note: `version ${price.version}`,
    }))
    .toSorted((one, other) => one.atMs - other.atMs);
  const untilMs = Math.max(nowMs, (steps.at(-1)?.atMs ?? 0) + DAY_AFTER_MS);
  return (
    <>
      {steps.length > 1 && (
        <StepLine
          title="How did its price change?"
          lead={`Credits per million ${part} tokens, with what is to come`}
          steps={steps}
          untilMs={untilMs}
          unit={CREDITS}
          tools={<Choices label="Part of the price" value={part} choices={DRAWN} onChoose={setPart} />}
        />
      )}
      <DataTable
        label="Price versions"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ version }) => String(version)}
        shown={prices.data?.next ? { kind: "too-many", note: `The first ${PAGE} versions are shown.` } : shown}
      />
    </>
  );
}

/** So that a price that is still to come has a line. */
const DAY_AFTER_MS = 86_400_000;

/** Newest first, each beside the one that held before it. */
function rowsOf(booked: readonly BookedPrice[], model: Model): Row[] {
  const inOrder = booked
    .filter(({ withdrawn_at: at }) => at === null)
    .toSorted((one, other) => Date.parse(one.effective_from) - Date.parse(other.effective_from));
  return booked
    .map((price) => ({
      ...price,
      before: inOrder[inOrder.indexOf(price) - 1] ?? null,
      state: stateOf(price, model),
    }))
    .toReversed();
}

function stateOf({ version, withdrawn_at: withdrawn }: BookedPrice, model: Model): Row["state"] {
  if (withdrawn !== null) return "withdrawn";
  if (model.price?.version === version) return "in force";
  return model.upcoming_prices.some((price) => price.version === version) ? "to come" : "past";
}

const TONES = { "in force": "good", "to come": "accent", past: "neutral", withdrawn: "neutral" } as const;

const amount = (part: PricePart, head: string): Column<Row> => ({
  id: part,
  head,
  width: 148,
  align: "right",
  cell: (row) => {
    const [now, before] = [row[part], row.before?.[part] ?? null];
    if (now === null) return <span className="text-ink-3">–</span>;
    return (
      <span className="inline-flex items-center gap-2 align-middle">
        {before !== null && before !== now && <Delta now={readCredits(now)} before={readCredits(before)} />}
        {exactCredits(readCredits(now))}
      </span>
    );
  },
  sort: (row) => (row[part] === null ? null : readCredits(row[part])),
  plain: (row) => row[part] ?? "",
});

const toolsText = ({ tools }: Row): string =>
  Object.entries(tools)
    .map(([name, price]) => `${name} ${price}`)
    .join(", ");

const linesText = ({ when = [] }: Row): string => when.map(whenText).join("; ");

/** The rest can be shown. */
const SHOWN_PARTS: readonly PricePart[] = ["input", "output", "cache_read"];

const COLUMNS: readonly Column<Row>[] = [
  {
    id: "version",
    head: "Version",
    width: 76,
    cell: ({ version }) => version,
    sort: ({ version }) => version,
    plain: ({ version }) => String(version),
  },
  {
    id: "state",
    head: "Status",
    width: 112,
    cell: ({ state, suspended_for: part }) => (
      <span title={part === null ? undefined : `Suspended the model: ${part} was used and has no price`}>
        <Badge tone={part === null ? TONES[state] : "warn"}>{state}</Badge>
      </span>
    ),
    plain: ({ state }) => state,
  },
  {
    id: "from",
    head: "Holds from",
    width: 172,
    cell: ({ effective_from: from }) => (Date.parse(from) === 0 ? "the beginning" : <Moment atMs={Date.parse(from)} />),
    sort: ({ effective_from: from }) => from,
    plain: ({ effective_from: from }) => from,
  },
  ...PRICE_PARTS.map(({ part, name }) => ({
    ...amount(part, part === "cache_write_5m" ? "Cache write / M" : `${name} / M`),
    hidden: !SHOWN_PARTS.includes(part),
  })),
  {
    id: "tools",
    head: "Tools, per call",
    cell: (row) => toolsText(row) || <span className="text-ink-3">–</span>,
    plain: toolsText,
  },
  {
    id: "when",
    head: "Larger inputs",
    width: 240,
    cell: (row) => linesText(row) || <span className="text-ink-3">–</span>,
    plain: linesText,
  },
];
