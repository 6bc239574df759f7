import { type newToken, TOKENS } from "../../contract/tokens.ts";
import type { By } from "../../core/people/by.ts";
import { Forbidden } from "../../core/forbidden.ts";
import { ROLES } from "../../core/people/role.ts";
import type { KnownPerson } from "../../entrance/identify.ts";
import type { ReadAs } from "../../wire/validate.ts";
import { serveOperations } from "../serve-operations.ts";

/** Of oneself, or of anybody. */
export const tokenRoutes = serveOperations({
  tag: "session",
  operations: TOKENS,
  of: ({ tokens }, caller) => {
    const whose = (of: string | null) => (isOverseer(caller) ? of : (caller?.person.id ?? null));
    return {
      create: ({ person: of, ...order }: ReadAs<typeof newToken>, by) =>
        tokens.create({ ...order, person: ownerOf(of, caller) }, { ...by, ...placesOf(caller) }),
      list: ({ person: of, ...page }) => tokens.list({ ...page, person: whose(of) }),
      revoke: (id, by) => tokens.revoke(id, { ...by, only: whose(null) }),
    };
  },
});

/** Where any of their roles holds. Of other accounts they learn nothing, not even by asking for a token there. */
function placesOf(person: KnownPerson | null): Pick<By, "within"> {
  const reach = person === null ? "everywhere" : person.reach(ROLES);
  return reach === "everywhere" ? {} : { within: reach ?? [] };
}

const isOverseer = (person: KnownPerson | null): boolean => person === null || person.reach(["owner"]) === "everywhere";

/** Whose token is made. A token that leaked must not beget others that outlive it. */
function ownerOf(of: string | null, person: KnownPerson | null): string {
  if (person === null) {
    if (of === null) throw new Forbidden("The automation token belongs to no person: name one.");
    return of;
  }
  if (person.via === "token") throw new Forbidden("A token can't create tokens. Sign in, or use the automation token.");
  if (of !== null && ![person.person.id, person.person.email].includes(of.toLowerCase()))
    throw new Forbidden("You create tokens for yourself. Others' need the automation token.");
  return person.person.id;
}
