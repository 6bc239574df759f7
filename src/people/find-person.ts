import { Fault } from "../core/fault.ts";
import { UUID } from "../core/page.ts";
import type { PeopleStore, Person } from "./person.ts";

/** The person that an operator means by an id or an email. */
export async function findPerson(people: Pick<PeopleStore, "byId" | "byEmail">, name: string): Promise<Person> {
  const found = UUID.test(name) ? await people.byId(name.toLowerCase()) : await people.byEmail(name.toLowerCase());
  if (found === null) throw new Fault("not_found", "No person has this email or id. List people to find them.");
  return found;
}
