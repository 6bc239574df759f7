import { ApiError } from "../../api/call.ts";
import type { Account } from "../../api/generated/admin.ts";

/** An account, and the first on its way to the root that has a purse, which pays. Null: none has one that the reader may see. */
export type Paid = { account: Account; payer: Account | null };

type ReadAccount = (id: string) => Promise<Account>;

export async function findPayer(id: string, read: ReadAccount): Promise<Paid> {
  const account = await read(id);
  let payer: Account | null = account;
  while (payer !== null && !payer.counters.some(({ kind }) => kind === "purse"))
    payer = payer.parent_id === null ? null : await read(payer.parent_id).catch(nullIfHidden);
  return { account, payer };
}

/** A role that holds for some accounts alone shows nothing above them. */
function nullIfHidden(error: unknown): null {
  if (error instanceof ApiError && [403, 404].includes(error.status)) return null;
  throw error;
}
