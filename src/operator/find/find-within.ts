import type { By } from "../../core/people/by.ts";
import { Fault } from "../../core/fault.ts";
import type { FindKey } from "../../keys/find-key.ts";
import type { FindAccount } from "./find-account.ts";

/** Whether something below these accounts is seen by whoever sees a part of them. */
export const isWithin = (accounts: readonly string[], within: By["within"]): boolean =>
  within === undefined || accounts.some((account) => within.includes(account));

/** Finds what somebody names. For a lead, what is elsewhere and what is nowhere are the same: errors name what is there instead. */
async function findWithin<Found>(
  find: () => Promise<Found>,
  { pathOf, within }: { pathOf: (found: Found) => readonly string[]; within: By["within"] },
): Promise<Found> {
  const found = await find().catch((error: unknown) => {
    if (within === undefined || !(error instanceof Fault)) throw error;
    throw outside();
  });
  if (!isWithin(pathOf(found), within)) throw outside();
  return found;
}

const outside = (): Fault =>
  new Fault("not_found", "There is nothing of this name in the accounts that your role holds for.");

type Named = { name: string; within: By["within"] };

export const accountWithin = (find: FindAccount, { name, within }: Named): ReturnType<FindAccount> =>
  findWithin(() => find(name), { pathOf: ({ path }) => path, within });

export const keyWithin = (find: FindKey, { name, within }: Named): ReturnType<FindKey> =>
  findWithin(() => find(name), { pathOf: ({ accounts }) => accounts, within });
