import { PEOPLE } from "../../contract/people.ts";
import { Forbidden } from "../../core/forbidden.ts";
import type { KnownPerson } from "../../entrance/identify.ts";
import { serveOperations } from "../serve-operations.ts";

export const peopleRoutes = serveOperations({
  tag: "people",
  operations: PEOPLE,
  of: ({ people }, caller) => ({
    ...people,
    setPassword: (name, order, by) => {
      requireMaySet(name, caller);
      return people.setPassword(name, order, by);
    },
  }),
});

function requireMaySet(name: string, caller: KnownPerson | null): void {
  if (caller === null) return;
  const isOwn = [caller.person.id, caller.person.email].includes(name.toLowerCase());
  if (caller.via === "token" || (!isOwn && caller.reach(["owner"]) !== "everywhere"))
    throw new Forbidden("You set your own password, in a session. Others' need the role owner everywhere.");
}
