import type { ReactNode } from "react";
import type { Grant, Person } from "../../api/generated/admin.ts";

export const ROLES = ["owner", "operator", "billing", "viewer", "auditor"] as const;

/** What each is for, in a line. */
export const ROLE_WORDS: Record<Grant["role"], string> = {
  owner: "does everything, also hands out access",
  operator: "does everything but hand out access",
  billing: "reads everything but the audit log; changes credit, limits and thresholds",
  viewer: "reads everything but the audit log and people’s sessions",
  auditor: "reads everything, also the audit log; verifies the ledger",
};

const placeOf = ({ account }: Grant): string => (account === null ? "everywhere" : `at ${account}`);

/** `owner everywhere, viewer at Acme/Search`. */
export const rolesText = ({ grants }: Pick<Person, "grants">): string =>
  grants.map((grant) => `${grant.role} ${placeOf(grant)}`).join(", ");

/** The same with the roles standing out. */
export const Roles = ({ of: person }: { of: Pick<Person, "grants"> }): ReactNode =>
  person.grants.length === 0 ? (
    <span className="text-ink-3">none</span>
  ) : (
    <span title={rolesText(person)}>
      {person.grants.map((grant, index) => (
        <span key={`${grant.role} ${grant.account_id} ${grant.source}`}>
          {index > 0 && ", "}
          <span className="font-medium">{grant.role}</span> <span className="text-ink-2">{placeOf(grant)}</span>
        </span>
      ))}
    </span>
  );

/** What they can prove themselves with. */
export const waysIn = ({ has_password: password, has_sso: sso }: Person): string =>
  [password && "password", sso && "single sign-on"].filter(Boolean).join(", ");
