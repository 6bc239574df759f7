import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { keyOf } from "../../api/query.ts";
import { findPayer } from "./find-payer.ts";

export const usePayer = (id: string) =>
  useQuery({
    queryKey: keyOf("GET /admin/v1/accounts/{account}", { params: { account: id } }, "payer"),
    queryFn: ({ signal }) =>
      findPayer(
        id,
        async (account) => (await call("GET /admin/v1/accounts/{account}", { params: { account }, signal })).account,
      ),
    enabled: id !== "",
  });
