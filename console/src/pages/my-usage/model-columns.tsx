import { readAmount, unitOf } from "../../format/counted.ts";
import { groupDigits } from "../../format/money.ts";
import { PERCENT } from "../../format/unit.ts";
import { Amount } from "../../parts/amount.tsx";
import type { Column } from "../../table/column.ts";
import { modelName, type OwnSeries } from "./own-series.ts";

type Group = OwnSeries["groups"][number];
export type ModelUse = { id: string; name: string; total: Group["total"]; charged: bigint; share: bigint };

/** Each model with its share of all that was charged, in hundredths of a percent. */
export function shareRows(answer: OwnSeries | undefined, unit: "credit" | "tokens"): ModelUse[] {
  const of = ({ credits, tokens }: Group["total"]): bigint => readAmount(unit, unit === "credit" ? credits : tokens);
  const whole = answer === undefined ? 0n : of(answer.total);
  return (answer?.groups ?? []).map(({ name, total }) => ({
    id: name ?? "other",
    name: modelName(name),
    total,
    charged: of(total),
    share: whole === 0n ? 0n : (of(total) * 10_000n) / whole,
  }));
}

const count = (id: string, head: string, of: (total: ModelUse["total"]) => number): Column<ModelUse> => ({
  id,
  head,
  width: 112,
  align: "right",
  cell: ({ total }) => groupDigits(of(total)),
  sort: ({ total }) => of(total),
  plain: ({ total }) => String(of(total)),
});

export const modelColumns = (unit: "credit" | "tokens"): readonly Column<ModelUse>[] => [
  {
    id: "model",
    head: "Model",
    cell: ({ id, name }) => (id === name ? name : <span className="text-ink-2">{name}</span>),
    sort: ({ name }) => name,
    plain: ({ name }) => name,
  },
  count("requests", "Requests", ({ requests }) => requests),
  count("input", "Input", ({ input_tokens: input }) => input),
  count("cached", "Cached", ({ cached_tokens: cached }) => cached),
  count("output", "Output", ({ output_tokens: output }) => output),
  {
    id: "charged",
    head: `Charged, ${unitOf(unit).name}`,
    width: 144,
    align: "right",
    cell: ({ charged }) => <Amount value={charged} unit={unitOf(unit)} />,
    sort: ({ charged }) => charged,
    plain: ({ charged }) => unitOf(unit).plain(charged),
  },
  {
    id: "share",
    head: "Share",
    width: 88,
    align: "right",
    cell: ({ share }) => PERCENT.show(share),
    sort: ({ share }) => share,
    plain: ({ share }) => PERCENT.plain(share),
  },
];
