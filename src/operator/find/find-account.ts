import { Fault, fieldFault } from "../../core/fault.ts";
import { UUID } from "../../core/page.ts";
import { didYouMean, suggest } from "../../core/text/suggest.ts";
import type { AccountRow, AccountStore } from "../../ledger/structure/account.ts";

/** The account that an operator means by an id or by the names from the root down: `Acme/Search/Ann`. */
export type FindAccount = (name: string) => Promise<AccountRow>;

const MOST_NAMED = 8;
/** Names that a wrong one is compared with. */
const MOST_COMPARED = 1_000;

export const createFindAccount =
  ({ store }: { store: Pick<AccountStore, "byId" | "childNamed" | "childNames"> }): FindAccount =>
  async (name) => {
    /** Where the names stop being known, and what there is. */
    async function unknown(step: string, above: AccountRow | null): Promise<Fault> {
      const names = await store.childNames(above?.id ?? null, MOST_COMPARED);
      const where = above === null ? "" : ` below ${above.title}`;
      const listed = names.slice(0, MOST_NAMED).join(", ") + (names.length > MOST_NAMED ? ", …" : "");
      const guess = didYouMean(suggest(step, names));
      const there = names.length === 0 ? `There are no accounts${where}.` : `There are: ${listed}.`;
      return new Fault("not_found", `There is no account ${JSON.stringify(step)}${where}${guess || "."} ${there}`);
    }

    if (UUID.test(name)) {
      const found = await store.byId(name);
      if (found === null) throw new Fault("not_found", "No account has this id. List the accounts to find it.");
      return found;
    }
    let found: AccountRow | null = null;
    for (const step of namesOf(name)) {
      const next: AccountRow | null = await store.childNamed(found?.id ?? null, step);
      if (next === null) throw await unknown(step, found);
      found = next;
    }
    if (found === null)
      throw fieldFault("account", "Input should be the id of an account or its names, such as Acme/Search");
    return found;
  };

/** The names from the root down. Spaces around a name do not count. */
export const namesOf = (path: string): string[] =>
  path
    .split("/")
    .map((name) => name.trim())
    .filter((name) => name !== "");
