import { expect, test } from "vitest";
import type { Role } from "../core/people/role.ts";
import type { HeldGrant } from "./person.ts";
import { reachOf } from "./reach.ts";

const grant = (role: Role, path: readonly string[] | null): HeldGrant => ({
  role,
  accountId: path?.at(-1) ?? null,
  source: "given",
  account: path?.join("/") ?? null,
  path,
});
const everywhere = grant("operator", null);
const search = grant("operator", ["acme", "search"]);
const ads = grant("viewer", ["acme", "ads"]);

test.each([
  ["a role everywhere reaches everything", [everywhere], null, ["operator"], "everywhere"],
  ["a role of an account reaches its subtree", [search], null, ["operator"], ["search"]],
  ["roles of two accounts reach both", [search, ads], null, ["operator", "viewer"], ["search", "ads"]],
  ["only the grants that allow the operation count", [search, ads], null, ["operator"], ["search"]],
  ["no fitting role reaches nothing", [ads], null, ["operator"], null],
  ["no grants reach nothing", [], null, ["viewer"], null],
  ["a token's role takes away", [everywhere], { role: "viewer", path: null }, ["operator"], null],
  ["a token's role adds nothing", [ads], { role: "owner", path: null }, ["owner"], null],
  [
    "a token's role leaves what it allows",
    [everywhere],
    { role: "viewer", path: null },
    ["operator", "viewer"],
    "everywhere",
  ],
  ["a token's account narrows", [everywhere], { role: null, path: ["acme", "ads"] }, ["operator"], ["ads"]],
  [
    "a token's account below a grant narrows",
    [search],
    { role: null, path: ["acme", "search", "ann"] },
    ["operator"],
    ["ann"],
  ],
  ["a token's account above a grant adds nothing", [search], { role: null, path: ["acme"] }, ["operator"], ["search"]],
  [
    "a token's account beside a grant reaches nothing",
    [search],
    { role: null, path: ["acme", "ads"] },
    ["operator"],
    null,
  ],
] as const)("%s", (_title, grants, token, roles, reach) => {
  expect(reachOf({ grants, token }, roles)).toEqual(reach);
});
