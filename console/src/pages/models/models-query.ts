import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import type { Model } from "../../api/generated/admin.ts";

const PAGE = 1000;
export const MOST_MODELS = 5000;

/** Every model, published or not; so many at most. */
export const modelsQuery = queryOptions({
  queryKey: ["models", "all"],
  queryFn: async ({ signal }): Promise<readonly Model[]> => {
    const all: Model[] = [];
    for (let after: string | null = null; all.length < MOST_MODELS;) {
      const page: { data: readonly Model[]; next: string | null } = await call("GET /admin/v1/models", {
        query: { limit: PAGE, ...(after !== null && { after }) },
        signal,
      });
      all.push(...page.data);
      after = page.next;
      if (after === null) break;
    }
    return all;
  },
});
