import {
  grantChangeSchema,
  grantsChangedSchema,
  grantsSchema,
  newPersonSchema,
  ofPerson,
  ofPersonSession,
  passwordSchema,
  peopleListSchema,
  peoplePageSchema,
  personAnswerSchema,
  personChangeSchema,
  personView,
  sessionListSchema,
  sessionsEndedSchema,
  sessionsKeptSchema,
  sessionView,
} from "../../wire/admin/people.ts";
import { Forbidden } from "../../core/forbidden.ts";
import { pageView } from "../../wire/admin/page.ts";
import { type AdminRoute, route } from "../route.ts";

const PERSON = "/admin/v1/people/{person}";

export const peopleRoutes: readonly AdminRoute[] = [
  route({
    id: "createPerson",
    tag: "people",
    method: "POST",
    path: "/admin/v1/people",
    summary: "Add a person who operates the gateway",
    body: newPersonSchema,
    answers: { 201: personAnswerSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { people } }, { body, by }) => ({
      status: 201,
      body: { person: personView(await people.create(body, by)) },
    }),
  }),
  route({
    id: "listPeople",
    tag: "people",
    method: "GET",
    path: "/admin/v1/people",
    summary: "List people, by email",
    query: peoplePageSchema,
    answers: { 200: peopleListSchema },
    refusals: ["invalid_request"],
    handle: async ({ operator: { people } }, { query, by }) => ({
      status: 200,
      body: pageView(await people.list(query, by), personView),
    }),
  }),
  route({
    id: "showPerson",
    tag: "people",
    method: "GET",
    path: PERSON,
    summary: "Show a person and their roles",
    params: ofPerson,
    answers: { 200: personAnswerSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { people } }, { params }) => ({
      status: 200,
      body: { person: personView(await people.show(params.person)) },
    }),
  }),
  route({
    id: "updatePerson",
    tag: "people",
    method: "PATCH",
    path: PERSON,
    summary: "Change the name, email or account of a person",
    params: ofPerson,
    body: personChangeSchema,
    answers: { 200: personAnswerSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { people } }, { params, body, by }) => ({
      status: 200,
      body: { person: personView(await people.update(params.person, body, by)) },
    }),
  }),
  route({
    id: "removePerson",
    tag: "people",
    method: "DELETE",
    path: PERSON,
    summary: "Remove a person: their sessions and tokens end at once, and their account is suspended",
    description: "Only an account of the kind `person` is suspended. A team or an organisation goes on.",
    params: ofPerson,
    answers: { 200: personAnswerSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { people } }, { params, by }) => ({
      status: 200,
      body: { person: personView(await people.remove(params.person, by)) },
    }),
  }),
  route({
    id: "setGrants",
    tag: "people",
    method: "POST",
    path: `${PERSON}/grants`,
    summary: "Set the roles of a person",
    description: "Replaces all roles that were given. Roles that follow from groups of an identity provider stay.",
    params: ofPerson,
    body: grantsSchema,
    answers: { 200: personAnswerSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { people } }, { params, body, by }) => ({
      status: 200,
      body: { person: personView(await people.setGrants(params.person, body.grants, by)) },
    }),
  }),
  route({
    id: "changeGrants",
    tag: "people",
    method: "PATCH",
    path: `${PERSON}/grants`,
    summary: "Give and take roles of a person",
    description: "Leaves all other roles as they are. Roles that follow from groups of an identity provider stay.",
    params: ofPerson,
    body: grantChangeSchema,
    answers: { 200: grantsChangedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { people } }, { params, body, by }) => {
      const { person, changed } = await people.changeGrants(params.person, body, by);
      return { status: 200, body: { person: personView(person), changed } };
    },
  }),
  route({
    id: "setPassword",
    tag: "people",
    method: "POST",
    path: `${PERSON}/password`,
    summary: "Set your password; owners everywhere also set others'",
    description: "Ends all sessions of the person. Your own needs `current`, and a session instead of a token.",
    params: ofPerson,
    body: passwordSchema,
    answers: { 200: personAnswerSchema },
    refusals: ["invalid_request", "not_found", "conflict", "rate_limit_exceeded"],
    handle: async ({ operator: { people } }, { params, body, by, person: caller }) => {
      if (caller !== null) {
        const isOwn = [caller.person.id, caller.person.email].includes(params.person.toLowerCase());
        if (caller.via === "token" || (!isOwn && caller.reach(["owner"]) !== "everywhere"))
          throw new Forbidden("You set your own password, in a session. Others' need the role owner everywhere.");
      }
      return { status: 200, body: { person: personView(await people.setPassword(params.person, body, by)) } };
    },
  }),
  route({
    id: "listSessions",
    tag: "people",
    method: "GET",
    path: `${PERSON}/sessions`,
    summary: "List the sessions of a person",
    params: ofPerson,
    answers: { 200: sessionListSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { people } }, { params }) => ({
      status: 200,
      body: { sessions: (await people.sessions(params.person)).map(sessionView) },
    }),
  }),
  route({
    id: "endSessions",
    tag: "people",
    method: "DELETE",
    path: `${PERSON}/sessions`,
    summary: "End all sessions of a person, or all but one",
    params: ofPerson,
    query: sessionsKeptSchema,
    answers: { 200: sessionsEndedSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { people } }, { params, query, by }) => ({
      status: 200,
      body: await people.endSessions(params.person, query, by),
    }),
  }),
  route({
    id: "endSession",
    tag: "people",
    method: "DELETE",
    path: `${PERSON}/sessions/{session}`,
    summary: "End one session of a person",
    params: ofPersonSession,
    answers: { 200: sessionsEndedSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { people } }, { params, by }) => ({
      status: 200,
      body: await people.endSessions(params.person, { id: params.session }, by),
    }),
  }),
];
