import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { AnswerOf } from "../../api/call.ts";
import { pagesOf, queryOf } from "../../api/query.ts";
import type { HolderRequest } from "../../api/generated/holder.ts";
import type { FilterField } from "../../shell/filter-popover.tsx";
import type { Column } from "../../table/column.ts";
import { FIRST_COLUMNS, LAST_COLUMNS, text } from "../requests/request-columns.tsx";
import { CODE_FIELDS } from "../requests/request-filters.tsx";
import { RequestList } from "../requests/request-list.tsx";
import type { SeriesQuery } from "../requests/request-query.ts";
import { onePage, useRequestView } from "../requests/use-request-view.ts";

const COLUMNS: readonly Column<HolderRequest>[] = [
  ...FIRST_COLUMNS,
  text("model", "Model", ({ model }) => model),
  ...LAST_COLUMNS,
];

const FIELDS: readonly FilterField<HolderRequest>[] = [
  { name: "model", label: "Model", of: ({ model }) => model },
  ...CODE_FIELDS,
];

/** The requests of the key. */
export function MyRequests(): ReactNode {
  const view = useRequestView(["model", "code"]);
  const pages = useInfiniteQuery(pagesOf("GET /me/requests", { query: onePage(view.query) }));
  const sums = useQuery({
    ...queryOf("GET /me/series", { query: ownSums(view.sums ?? {}) }),
    select: groupsByName,
    enabled: view.sums !== null,
  });
  return (
    <RequestList
      view={view}
      pages={pages}
      sums={sums}
      mostPages={10}
      columns={COLUMNS}
      fields={FIELDS}
      question="How do my requests end?"
      file={{ path: "/me/requests.csv", label: "1,000 as CSV", advice: "load more, or choose a shorter span." }}
    />
  );
}

const ownSums = ({ from, to, step, by }: SeriesQuery) => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
  ...(step !== undefined && { step }),
  ...(by === "model" && { by }),
});

/** A group of a key holder has a name and no id. */
const groupsByName = ({ points, groups }: AnswerOf<"GET /me/series">) => ({
  points,
  groups: groups.map((group) => ({ id: group.name, points: group.points })),
});
