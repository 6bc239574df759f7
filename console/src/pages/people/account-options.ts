import { useQuery } from "@tanstack/react-query";
import type { SelectOption } from "../../parts/field.tsx";
import { accountsQuery } from "../accounts/accounts-query.ts";

/** Every account to choose from, after what no account means. */
export function useAccountOptions(none: string): readonly SelectOption[] {
  const { data = [] } = useQuery(accountsQuery);
  return [{ value: "", name: none }, ...data.map(({ id, path }) => ({ value: id, name: path }))];
}
