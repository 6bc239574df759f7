import { expect, test } from "vitest";
import { createAuditLooks } from "./audit-looks.ts";

const PATHS: Record<string, readonly string[]> = {
  ads: ["acme", "ads"],
  ann: ["acme", "ads", "ann"],
  search: ["acme", "search"],
};

/** Under which accounts the entries of a person stand. */
async function placesOf(accountId: string | null, grants: readonly (string | null)[]): Promise<readonly string[]> {
  const person = {
    id: "1",
    email: "ann@acme.example",
    accountId,
    grants: grants.map((at) => ({ role: "viewer", accountId: at, path: at === null ? null : PATHS[at] })),
  };
  const looks = createAuditLooks({
    operator: { people: { show: () => Promise.resolve(person) } } as never,
    findAccount: (name: string) => Promise.resolve({ path: PATHS[name] }) as never,
    findKey: () => Promise.reject(new Error("not asked for")),
    accounts: {} as never,
  });
  return (await looks.person(person.id))?.accountIds ?? [];
}

test("what is done to a person is for leads to read who have all of the person's accounts and roles in theirs", async () => {
  expect(await placesOf("ann", [])).toEqual(["acme", "ads", "ann"]);
  expect(await placesOf("ann", ["ads"])).toEqual(["acme", "ads"]);
  expect(await placesOf(null, ["ads"])).toEqual(["acme", "ads"]);
  expect(await placesOf("ann", ["ads", "search"])).toEqual(["acme"]);
});

test("what is done to a person with a role everywhere is for no lead to read", async () => {
  expect(await placesOf("ann", [null])).toEqual([]);
  expect(await placesOf(null, ["ads", null])).toEqual([]);
});
