import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { keyOf } from "../../api/query.ts";
import type { Account } from "../../api/generated/admin.ts";

/** An account, and the first on its way to the root that has a purse, which pays. Null: none has one. */
export type Paid = { account: Account; payer: Account | null };

export const usePayer = (id: string) =>
  useQuery({
    queryKey: keyOf("GET /admin/v1/accounts/{account}", { params: { account: id } }, "payer"),
    queryFn: async ({ signal }): Promise<Paid> => {
      const read = async (account: string): Promise<Account> =>
        (await call("GET /admin/v1/accounts/{account}", { params: { account }, signal })).account;
      const account = await read(id);
      let payer: Account | null = account;
      while (payer !== null && !payer.counters.some(({ kind }) => kind === "purse"))
        payer = payer.parent_id === null ? null : await read(payer.parent_id);
      return { account, payer };
    },
    enabled: id !== "",
  });
