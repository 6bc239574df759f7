import { expect, test } from "vitest";
import { readGroupMappings } from "../../core/people/group-mapping.ts";
import { planPerson } from "./plan-person.ts";

const mappings =
  readGroupMappings(`
    admins -> owner
    leads -> operator at Acme/Search, viewer
    search -> member of Acme/Search with 50 per month, viewer
    ads -> member of Acme/Ads
  `) ?? [];

test("somebody gets the roles of all their groups, each once", () => {
  expect(planPerson(["search", "leads", "unknown"], mappings)?.roles).toEqual([
    { role: "operator", account: "Acme/Search" },
    { role: "viewer", account: null },
  ]);
});

test("the first team of the mapping counts, in whichever order the groups are told", () => {
  expect(planPerson(["ads", "search"], mappings)?.team).toEqual({ account: "Acme/Search", monthly: 50_000_000_000n });
});

test("there is no place for somebody in no group of the mapping", () => {
  expect(planPerson(["unknown"], mappings)).toBeNull();
  expect(planPerson([], mappings)).toBeNull();
  expect(planPerson([], readGroupMappings("* -> viewer") ?? [])).toEqual({
    roles: [{ role: "viewer", account: null }],
    team: null,
  });
});
