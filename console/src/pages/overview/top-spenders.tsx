import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
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
    queryKey: ["series", query],
    queryFn: ({ signal }) => call("GET /admin/v1/series", { query: { ...query, top: MOST }, signal }),
    placeholderData: (kept) => kept,
  });
  const ranks = (series.data?.groups ?? []).flatMap(({ id, name, total }) =>
    id === null ? [] : [{ id, name: name ?? "without a name", value: readCredits(total.credits) }],
  );
  const empty = series.data && ranks.length === 0 ? { title: `No ${query.by} was charged in this span` } : null;
  return (
    <RankedBars
      title={title}
      lead={`Credits charged; the first ${MOST}`}
      ranks={ranks}
      unit={CREDITS}
      shown={shownOf(series, empty)}
      onPick={onPick}
    />
  );
}
