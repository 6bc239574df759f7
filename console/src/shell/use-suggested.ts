import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSettled } from "../parts/use-settled.ts";
import type { Find, Found } from "./commands.ts";

const NONE: readonly Found[] = [];

/** What the gateway finds for the text, to be suggested under a field. */
export function useSuggested(find: Find | undefined, text: string, name: string): readonly Found[] {
  const search = useSettled(text);
  const { data = NONE } = useQuery({
    queryKey: ["found", name, search],
    queryFn: ({ signal }) => find?.(search ?? "", signal) ?? NONE,
    enabled: find !== undefined && search !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return data;
}
