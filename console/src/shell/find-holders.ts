import { ApiError, call } from "../api/call.ts";
import type { Found } from "./commands.ts";

const FEW = 8;

/** Whoever may not list them finds none. */
const orNone = (error: unknown): { data: readonly never[] } => {
  if (error instanceof ApiError && error.status === 403) return { data: [] };
  throw error;
};

/** Accounts by a part of their name. */
export async function findAccounts(search: string, signal: AbortSignal): Promise<Found[]> {
  const { data } = await call("GET /admin/v1/accounts", { query: { search, limit: FEW }, signal }).catch(orNone);
  return data.map(({ id, path }) => ({ id, kind: "account", title: path, note: "", word: path }));
}

/** Keys by a part of their label, their id, a prefix or the name of their account. */
export async function findKeys(search: string, signal: AbortSignal): Promise<Found[]> {
  const { data } = await call("GET /admin/v1/keys", { query: { search, limit: FEW }, signal }).catch(orNone);
  return data.map(({ id, label, prefix, account }) => ({
    id,
    kind: "key",
    title: label ?? `${prefix}…`,
    note: [label === null ? null : `${prefix}…`, account].filter(Boolean).join(" · "),
    word: prefix,
  }));
}

export const findHolders = async (search: string, signal: AbortSignal): Promise<Found[]> =>
  (await Promise.all([findAccounts(search, signal), findKeys(search, signal)])).flat();
