import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "./session.ts";

/** Whether a role of the reader holds everywhere. Leads see nothing of the installation itself. */
export function useHouseWide(): boolean {
  const { data: session } = useQuery(sessionQuery);
  const grants = session?.person?.grants ?? [];
  return session?.person === null || grants.some(({ account_id: account }) => account === null);
}
