import { useQuery } from "@tanstack/react-query";
import type { Grant } from "../api/generated/admin.ts";
import { OPERATIONS } from "../api/generated/operations.ts";
import { sessionQuery } from "./session.ts";

export type Operation = (typeof OPERATIONS)[number];
export type OperationId = Operation["id"];

/** Whether one of these roles is enough for it: everywhere, or for an account where that is enough. */
export function isAllowed(id: OperationId, grants: readonly Pick<Grant, "role" | "account_id">[]): boolean {
  const operation = OPERATIONS.find((one) => one.id === id);
  if (operation === undefined) return false;
  const { roles, leads }: { roles: readonly string[] | "anyone"; leads: boolean } = operation;
  if (roles === "anyone") return true;
  return grants.some(({ role, account_id: place }) => roles.includes(role) && (place === null || leads));
}

/** What the reader may do, so that nothing is offered that the gateway would refuse. */
export function useMay(): (id: OperationId) => boolean {
  const { data } = useQuery(sessionQuery);
  return (id) => isAllowed(id, data?.person?.grants ?? []);
}
