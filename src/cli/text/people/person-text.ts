import type { PersonPageJson } from "../../../contract/people.ts";
import type { PersonJson } from "../../../wire/admin/people.ts";
import { moreText } from "../../page-options.ts";
import { printable } from "../cell.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { facts, table } from "../table.ts";

type Roles = Pick<PersonJson, "grants">;

/** `owner everywhere, operator at Acme/Search (SSO)`. */
export const rolesText = ({ grants }: Roles): string =>
  grants
    .map(({ role, account, source }) => {
      const place = account === null ? "everywhere" : `at ${printable(account)}`;
      return `${role} ${place}${source === "sso" ? " (SSO)" : ""}`;
    })
    .join(", ") || "no role";

const waysIn = ({ has_password, has_sso }: PersonJson): string =>
  [has_password && "password", has_sso && "SSO"].filter(Boolean).join(", ") || "nothing yet";

export function peopleListing({ data, next }: PersonPageJson, screen: Screen = PLAIN): string {
  if (data.length === 0) return "No more people.";
  const rows = data.map((person) => [
    person.email,
    person.name,
    rolesText(person),
    person.account ?? "-",
    waysIn(person),
    person.last_seen_at ?? "never",
    person.id,
  ]);
  return `${table(["=EMAIL", "NAME", "ROLES", "ACCOUNT", "SIGNS IN WITH", "LAST SEEN", "?ID"], rows, { screen })}${moreText(next)}`;
}

export const personFacts = (person: PersonJson): [name: string, value: string][] => [
  ["id", person.id],
  ["name", person.name],
  ["roles", rolesText(person)],
  ["account", person.account ?? "-"],
];

export const personDetails = (person: PersonJson, screen: Screen = PLAIN): string =>
  facts(
    printable(person.email),
    [
      ...personFacts(person),
      ["state", person.removed_at === null ? person.state : `removed at ${person.removed_at}`],
      ["signs in with", waysIn(person)],
      ["added", person.created_at],
      ["last seen", person.last_seen_at ?? "never"],
    ],
    screen,
  );
