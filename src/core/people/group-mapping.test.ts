import { expect, test } from "vitest";
import { readGroupMappings } from "./group-mapping.ts";

test("reads roles, roles in an account, and teams with a limit for each person", () => {
  const text = `
    gateway-admins -> owner
    leads -> operator at Acme/Search Team, viewer
    /search -> member of Acme/Search Team with 50.5 per month
  `;

  expect(readGroupMappings(text)).toEqual([
    { group: "gateway-admins", roles: [{ role: "owner", account: null }], team: null },
    {
      group: "leads",
      roles: [
        { role: "operator", account: "Acme/Search Team" },
        { role: "viewer", account: null },
      ],
      team: null,
    },
    { group: "/search", roles: [], team: { account: "Acme/Search Team", monthly: 50_500_000_000n } },
  ]);
});

test("reads several groups on one line, as an environment variable has them", () => {
  expect(readGroupMappings("a -> auditor; * -> member of Acme")).toEqual([
    { group: "a", roles: [{ role: "auditor", account: null }], team: null },
    { group: "*", roles: [], team: { account: "Acme", monthly: null } },
  ]);
  expect(readGroupMappings("")).toEqual([]);
});

test("a group may have commas and an arrow in its name", () => {
  expect(readGroupMappings("cn=a,ou=b -> c -> billing")?.[0]?.group).toBe("cn=a,ou=b -> c");
});

test.each([
  "admins",
  "admins -> root",
  "-> owner",
  "admins -> owner at",
  "admins -> member of",
  "admins -> member of Acme with -1 per month",
  "admins -> member of Acme with many per month",
  "admins -> member of Acme, member of Other",
  "admins -> owner\nadmins -> viewer",
  Array.from({ length: 201 }, (_, index) => `g${index} -> viewer`).join("\n"),
])("is nothing of the kind: %s", (text) => {
  expect(readGroupMappings(text)).toBeNull();
});
