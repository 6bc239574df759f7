import { expect, test } from "vitest";
import { Conflict } from "../../core/conflict.ts";
import type { AccountRow } from "../../ledger/structure/account.ts";
import type { Identity } from "./identity.ts";
import { createPlacePerson } from "./place-person.ts";

type Some = Pick<AccountRow, "id" | "title" | "path" | "kind" | "status">;

const TREE: readonly Some[] = [
  ["acme"],
  ["acme", "search"],
  ["acme", "search", "ann"],
  ["acme", "search", "sub"],
  ["acme", "ads"],
  ["acme", "ads", "early"],
].map((path) => ({
  id: path.at(-1) ?? "",
  title: path.at(-1) ?? "",
  path,
  kind: ["ann", "early"].includes(path.at(-1) ?? "") ? "person" : "team",
  status: "active",
}));

const ANN: Identity = {
  issuer: "https://id.example",
  subject: "1",
  personId: "person 1",
  email: "ann@acme.example",
  state: "active",
  accountId: null,
  sealed: null,
  suspended: false,
  teamId: null,
  monthly: null,
};

/** Places somebody, and answers what was done to accounts. */
async function placed(
  identity: Partial<Identity>,
  team: string,
  taken: readonly string[] = [],
  prepared: { proven: boolean; isTheirs?: boolean } | null = null,
): Promise<string[]> {
  const done: string[] = [];
  const made: Some = { id: "new", title: "new", path: ["acme", team, "new"], kind: "person", status: "active" };
  const byId = (id: string) => Promise.resolve(([...TREE, made].find((one) => one.id === id) ?? null) as AccountRow);
  const tell = (what: string): Promise<never> => Promise.resolve(void done.push(what) as never);
  const place = createPlacePerson({
    accounts: {
      create: ({ parent }) =>
        prepared === null ? tell(`made in ${parent}`).then(() => made as never) : Promise.reject(new Conflict("taken")),
      update: (id, { parent }) => tell(`moved ${id} to ${parent}`),
      setLimit: (id, { amount }) => tell(`limited ${id} to ${amount}`),
      removeLimit: (id) => tell(`unlimited ${id}`),
      changeStatus: (id, change) => tell(`${change} ${id}`),
    },
    store: { byId, childNamed: () => byId("early") },
    identities: {
      placed: (_key, { accountId, teamId, monthly }) => tell(`has ${accountId} in ${teamId}, ${monthly}`),
      suspending: () => tell("suspending"),
      suspended: () => tell("suspended"),
      find: () => Promise.resolve({ ...ANN, accountId: prepared?.isTheirs ? "early" : null }),
      isTaken: (id) => Promise.resolve(taken.includes(id)),
    },
    findAccount: byId,
  });
  await place({ ...ANN, ...identity }, { account: team, monthly: 50n }, { proven: prepared?.proven ?? false });
  return done;
}

const NEW = ["made in ads", "limited new to 50", "has new in ads, 50"];

test("who was added elsewhere by hand gets an account in their team, and nothing of the other comes along", async () => {
  expect(await placed({ accountId: "ann" }, "ads")).toEqual(NEW);
  expect(await placed({ accountId: "search" }, "ads")).toEqual(NEW);
});

test("who was added in their team by hand keeps that account", async () => {
  expect(await placed({ accountId: "early" }, "ads")).toEqual(["limited early to 50", "has early in ads, 50"]);
});

test("a team that somebody has as their account is neither limited nor moved by their groups", async () => {
  expect(await placed({ accountId: "search" }, "search")).toEqual(["has search in search, null"]);
  const before = { teamId: "search", monthly: 20n };
  expect(await placed({ accountId: "search", ...before }, "search")).toEqual(["has search in search, null"]);
  expect(await placed({ accountId: "sub", ...before }, "acme")).toEqual(["has sub in acme, null"]);
  expect(await placed({ accountId: "sub", ...before }, "ads")).toEqual(NEW);
});

test("who changes teams takes their account along, but not another's", async () => {
  const before = { accountId: "ann", teamId: "search", monthly: 20n };

  expect(await placed(before, "ads")).toEqual(["moved ann to ads", "limited ann to 50", "has ann in ads, 50"]);
  expect(await placed(before, "ads", ["ann"])).toEqual(NEW);
});

test("an account that an operator put elsewhere since stays there", async () => {
  expect(await placed({ accountId: "ann", teamId: "ads", monthly: 50n }, "ads")).toEqual(["has ann in ads, 50"]);
});

test("an account that was prepared under an address is given only to who is proven to have it", async () => {
  const taking = ["limited early to 50", "has early in ads, 50"];

  expect(await placed({}, "ads", [], { proven: true })).toEqual(taking);
  await expect(placed({}, "ads", [], { proven: false })).rejects.toThrow(
    "There is an account ann@acme.example in ads already, and the identity provider does not say that it verified this address.",
  );
  await expect(placed({}, "ads", ["early"], { proven: true })).rejects.toThrow(Conflict);
  // Another of their first sign-ins has made it a moment ago.
  expect(await placed({}, "ads", [], { proven: false, isTheirs: true })).toEqual(taking);
});
