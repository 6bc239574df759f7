import type { Range } from "../../shell/range.ts";
import type { FILTERS, PageSearch } from "../../routes/search.ts";
import { usePageSearch } from "../../shell/use-range.ts";
import type { RequestQuery, SeriesQuery } from "./request-query.ts";
import { seriesQuery } from "./volume.ts";

const PAGE = 200;
const OUTCOMES = ["ok", "error", "client_gone"] as const;

export type RequestView = {
  search: PageSearch;
  change: (change: PageSearch) => void;
  range: Range;
  query: RequestQuery;
  /** The sums that answer for the same filter; null: none do. */
  sums: SeriesQuery | null;
};

/** What the address asks for, as the API takes it. `words`: the filters that it takes as they are. */
export function useRequestView(words: readonly (typeof FILTERS)[number][]): RequestView {
  const { search, change, range } = usePageSearch();
  const outcome = OUTCOMES.find((one) => one === search.outcome);
  const query: RequestQuery = {
    ...Object.fromEntries(words.flatMap((word) => (search[word] === undefined ? [] : [[word, search[word]]]))),
    ...(Number(search.status) > 0 && { status: Number(search.status) }),
    ...(outcome !== undefined && { outcome }),
    from: new Date(range.fromMs).toISOString(),
    to: new Date(range.toMs).toISOString(),
  };
  return { search, change, range, query, sums: seriesQuery(query, range) };
}

/** The same, one page of it. */
export const onePage = (query: RequestQuery): RequestQuery => ({ ...query, limit: PAGE });
