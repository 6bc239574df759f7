import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { queryOf } from "../api/query.ts";
import { buildWords } from "./build-words.ts";
import { useMay } from "./may.ts";

/** What runs, for whoever may know it. Asked for once per load: another version comes with another process. */
export function BuildFooter(): ReactNode {
  const may = useMay()("showStatus");
  const { data } = useQuery({
    ...queryOf("GET /admin/v1/status"),
    enabled: may,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) return null;
  return <footer className="px-3 pb-3 text-small text-ink-3 sm:px-5">{buildWords(data)}</footer>;
}
