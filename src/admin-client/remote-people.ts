import type { PageRequest } from "../core/page.ts";
import { clientSessionListSchema } from "../wire/admin/client-sessions.ts";
import {
  callerSchema,
  type grantChangeSchema,
  grantsChangedSchema,
  type grantsSchema,
  type newPersonSchema,
  type newTokenSchema,
  type passwordSchema,
  peopleListSchema,
  personAnswerSchema,
  type personChangeSchema,
  sessionListSchema,
  sessionsEndedSchema,
  tokenListSchema,
  tokenMadeSchema,
  tokenRevokedSchema,
} from "../wire/admin/people.ts";
import type { ReadAs } from "../wire/validate.ts";
import { type AskFor, createAskFor, type GatewayAddress, queryOf } from "./ask-gateway.ts";

const at = (person: string, rest = ""): string => `/people/${encodeURIComponent(person)}${rest}`;

/** What operators do with people, through the admin listener. */
export const remotePeople = (ask: AskFor) => ({
  create: async (order: ReadAs<typeof newPersonSchema>) =>
    (await ask(personAnswerSchema, "POST", "/people", order)).person,
  list: ({ limit, after }: PageRequest) => ask(peopleListSchema, "GET", `/people?${queryOf({ limit, after })}`),
  show: async (person: string) => (await ask(personAnswerSchema, "GET", at(person))).person,
  update: async (person: string, changes: ReadAs<typeof personChangeSchema>) =>
    (await ask(personAnswerSchema, "PATCH", at(person), changes)).person,
  remove: async (person: string) => (await ask(personAnswerSchema, "DELETE", at(person))).person,
  setGrants: async (person: string, grants: ReadAs<typeof grantsSchema>["grants"]) =>
    (await ask(personAnswerSchema, "POST", at(person, "/grants"), { grants })).person,
  changeGrants: (person: string, change: ReadAs<typeof grantChangeSchema>) =>
    ask(grantsChangedSchema, "PATCH", at(person, "/grants"), change),
  setPassword: async (person: string, order: ReadAs<typeof passwordSchema>) =>
    (await ask(personAnswerSchema, "POST", at(person, "/password"), order)).person,
  sessions: async (person: string) => (await ask(sessionListSchema, "GET", at(person, "/sessions"))).sessions,
  endSessions: (person: string, which: { id: string } | { except: string | null }) =>
    ask(
      sessionsEndedSchema,
      "DELETE",
      at(person, "id" in which ? `/sessions/${which.id}` : `/sessions?${queryOf({ except: which.except })}`),
    ),
});

export const remoteTokens = (ask: AskFor) => ({
  create: (person: string, order: Omit<ReadAs<typeof newTokenSchema>, "person">) =>
    ask(tokenMadeSchema, "POST", "/tokens", { person, ...order }),
  list: (person: string | null, { limit, after }: PageRequest) =>
    ask(tokenListSchema, "GET", `/tokens?${queryOf({ limit, after, person })}`),
  revoke: (_person: string | null, token: string) =>
    ask(tokenRevokedSchema, "DELETE", `/tokens/${encodeURIComponent(token)}`),
});

export const remoteClientSessions = (ask: AskFor) => ({
  list: ({ person, account }: { person: string | null; account: string | null }, { limit, after }: PageRequest) =>
    ask(clientSessionListSchema, "GET", `/client-sessions?${queryOf({ limit, after, person, account })}`),
  end: (person: string, which: { id: string } | { except: string | null }) =>
    ask(
      sessionsEndedSchema,
      "DELETE",
      at(
        person,
        "id" in which ? `/client-sessions/${which.id}` : `/client-sessions?${queryOf({ except: which.except })}`,
      ),
    ),
});

/** Whom the gateway takes this command for. */
export const remoteCaller = (gateway: GatewayAddress) => createAskFor(gateway)(callerSchema, "GET", "/session");
