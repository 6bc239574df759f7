import { z } from "zod";
import { ROLES } from "../core/people/role.ts";
import type { ManagePeople } from "../operator/people.ts";
import { accountName } from "../wire/admin/keys.ts";
import { pageQuery, pageSchema } from "../wire/admin/page.ts";
import {
  email,
  ofPerson,
  ofPersonSession,
  password,
  person,
  personName,
  sessionList,
  sessionsEnded,
  sessionsKept,
} from "../wire/admin/people.ts";
import { within } from "../wire/codec.ts";
import type { WrittenAs } from "../wire/validate.ts";
import type { Operations } from "./operation.ts";

const grant = z
  .strictObject({
    role: z.enum(ROLES),
    account: accountName
      .nullable()
      .default(null)
      .describe(
        "The account for which and below which the role holds: its id, or the names from the root down; null: everywhere.",
      ),
  })
  .meta({ id: "GrantRequest" });
const grants = z.array(grant).max(100);

export const newPerson = z.strictObject({
  email,
  name: personName.nullable().default(null).describe("Name; null: the email."),
  account: accountName
    .nullable()
    .default(null)
    .describe("The account that is theirs: its id, or the names from the root down; null: none."),
  grants: grants.default([]).describe("Their roles."),
  password: password.nullable().default(null).describe("A first password; null: they sign in through SSO."),
});

export const personChange = z
  .strictObject({
    name: personName.exactOptional().describe("A new name."),
    email: email.exactOptional(),
    account: accountName.nullable().exactOptional().describe("The account that is theirs; null: none."),
  })
  .refine((changes) => Object.keys(changes).length > 0, "Give at least one field to change");

const grantChange = z.strictObject({
  add: grants.default([]).describe("Roles to give."),
  remove: grants.default([]).describe("Roles to take. A role that they do not have is left out."),
});

export const passwordOrder = z.strictObject({
  password,
  current: z
    .string()
    .max(256)
    .nullable()
    .default(null)
    .describe("Your password until now; null: the password is another person's."),
});

const onePerson = within("person", person);
export const grantsChanged = z.object({ person, changed: z.boolean() });
export const personPage = pageSchema(person);
export type PersonPageJson = WrittenAs<typeof personPage>;

const named = (name: string) => ({ kind: "person", name }) as const;
const OF_ONE = { params: ofPerson, refusals: ["invalid_request", "not_found", "conflict"] } as const;

/** What operators do with people, below `/admin/v1`. */
export const PEOPLE: Operations<ManagePeople> = {
  create: {
    id: "createPerson",
    method: "POST",
    path: "/people",
    summary: "Add a person who operates the gateway",
    payload: newPerson,
    answer: onePerson,
    status: 201,
    refusals: ["invalid_request", "not_found", "conflict"],
    audit: {
      action: "person.create",
      of: ({ account }) => ({ kind: "person", name: null, under: account }),
      asked: ({ password: secret, email: address, name, account, grants: given }) => ({
        email: address,
        name,
        account,
        grants: given,
        hasPassword: secret !== null,
      }),
      made: ({ id }) => id,
    },
  },
  list: {
    id: "listPeople",
    method: "GET",
    path: "/people",
    summary: "List people, by email",
    payload: pageQuery(100),
    answer: personPage,
    refusals: ["invalid_request"],
    audit: "read",
  },
  show: {
    id: "showPerson",
    method: "GET",
    path: "/people/{person}",
    summary: "Show a person and their roles",
    params: ofPerson,
    answer: onePerson,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  update: {
    ...OF_ONE,
    id: "updatePerson",
    method: "PATCH",
    path: "/people/{person}",
    summary: "Change the name, email or account of a person",
    payload: personChange,
    answer: onePerson,
    audit: { action: "person.update", of: named, asked: (_name, changes) => changes },
  },
  remove: {
    ...OF_ONE,
    id: "removePerson",
    method: "DELETE",
    path: "/people/{person}",
    summary: "Remove a person: their sessions and tokens end at once, and their account is suspended",
    description: "Only an account of the kind `person` is suspended. A team or an organisation goes on.",
    answer: onePerson,
    audit: { action: "person.remove", of: named },
  },
  setGrants: {
    ...OF_ONE,
    id: "setGrants",
    method: "POST",
    path: "/people/{person}/grants",
    summary: "Set the roles of a person",
    description: "Replaces all roles that were given. Roles that follow from groups of an identity provider stay.",
    payload: within("grants", grants.describe("All roles they are given."), z.strictObject),
    answer: onePerson,
    audit: { action: "person.set_grants", of: named, asked: (_name, given) => ({ grants: given }) },
  },
  changeGrants: {
    ...OF_ONE,
    id: "changeGrants",
    method: "PATCH",
    path: "/people/{person}/grants",
    summary: "Give and take roles of a person",
    description: "Leaves all other roles as they are. Roles that follow from groups of an identity provider stay.",
    payload: grantChange,
    answer: grantsChanged,
    audit: { action: "person.change_grants", of: named, asked: (_name, change) => change },
  },
  setPassword: {
    id: "setPassword",
    method: "POST",
    path: "/people/{person}/password",
    summary: "Set your password; owners everywhere also set others'",
    description: "Ends all sessions of the person. Your own needs `current`, and a session instead of a token.",
    params: ofPerson,
    payload: passwordOrder,
    answer: onePerson,
    refusals: ["invalid_request", "not_found", "conflict", "rate_limit_exceeded"],
    audit: { action: "person.set_password", of: named },
  },
  sessions: {
    id: "listSessions",
    method: "GET",
    path: "/people/{person}/sessions",
    summary: "List the sessions of a person",
    params: ofPerson,
    answer: sessionList,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  endSessions: {
    id: "endSessions",
    method: "DELETE",
    path: "/people/{person}/sessions",
    summary: "End all sessions of a person, or all but one",
    params: ofPerson,
    payload: sessionsKept,
    answer: sessionsEnded,
    refusals: ["invalid_request", "not_found"],
    audit: { action: "session.end", of: named, asked: (_name, which) => which },
  },
  endSession: {
    id: "endSession",
    method: "DELETE",
    path: "/people/{person}/sessions/{session}",
    summary: "End one session of a person",
    params: ofPersonSession,
    answer: sessionsEnded,
    refusals: ["invalid_request", "not_found"],
    audit: { action: "session.end", of: named, asked: (_name, id) => ({ id }) },
  },
};
