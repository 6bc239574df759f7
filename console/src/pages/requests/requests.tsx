import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { pagesOf, queryOf } from "../../api/query.ts";
import { REQUEST_COLUMNS } from "./request-columns.tsx";
import { REQUEST_FIELDS } from "./request-filters.tsx";
import { RequestList } from "./request-list.tsx";
import { onePage, useRequestView } from "./use-request-view.ts";

/** The requests of all keys. */
export function Requests(): ReactNode {
  const view = useRequestView(["account", "key", "model", "provider", "code", "agent"]);
  const pages = useInfiniteQuery(pagesOf("GET /admin/v1/requests", { query: onePage(view.query) }));
  const sums = useQuery({
    ...queryOf("GET /admin/v1/series", { query: view.sums ?? {} }),
    enabled: view.sums !== null,
  });
  return (
    <RequestList
      view={view}
      pages={pages}
      sums={sums}
      mostPages={20}
      columns={REQUEST_COLUMNS}
      fields={REQUEST_FIELDS}
      question="How do requests end?"
      file={{
        path: "/admin/v1/requests/export.csv",
        label: "All as CSV",
        advice: "“All as CSV” has up to 100,000.",
      }}
    />
  );
}
