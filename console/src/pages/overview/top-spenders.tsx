import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { queryOf } from "../../api/query.ts";
import { RankedBars } from "../../charts/ranked-bars.tsx";
import { readCredits } from "../../format/money.ts";
import { CREDITS } from "../../format/unit.ts";
import { shownOf } from "../../parts/shown-of.ts";

type Props = {
  title: string;
  query: {
    from: string;
    to: string;
    account?: string;
    key?: string;
    model?: string;
    provider?: string;
    by: "account" | "key";
  };
  onPick: (id: string) => void;
};

const MOST = 20;

export function TopSpenders({ title, query, onPick }: Props): ReactNode {
  const series = useQuery({
    ...queryOf("GET /admin/v1/series", { query: { ...query, top: MOST } }),
    placeholderData: (kept) => kept,
  });
  // One account that has everything says nothing: those below it do.
  const [only = null, ...others] = (series.data?.groups ?? []).filter(({ id }) => id !== null);
  const top = query.by === "account" && others.length === 0 ? (only?.id ?? null) : null;
  const within = { ...query, account: top ?? "" };
  const below = useQuery({
    ...queryOf("GET /admin/v1/series", { query: { ...within, top: MOST } }),
    enabled: top !== null,
  });
  const isBelow = top !== null && (below.data?.groups.length ?? 0) > 0;
  const ranks = ((isBelow ? below : series).data?.groups ?? []).flatMap(({ id, name, total }) =>
    id === null ? [] : [{ id, name: name ?? "without a name", value: readCredits(total.credits) }],
  );
  const empty = series.data && ranks.length === 0 ? { title: `No ${query.by} was charged in this span` } : null;
  return (
    <RankedBars
      title={title}
      lead={`Credits charged${isBelow ? ` below ${only?.name ?? "it"}` : ""}; the first ${MOST}`}
      ranks={ranks}
      unit={CREDITS}
      shown={shownOf(series, empty)}
      onPick={onPick}
    />
  );
}
