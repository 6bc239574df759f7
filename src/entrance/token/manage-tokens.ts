import type { By } from "../../core/people/by.ts";
import type { Clock } from "../../core/clock.ts";
import { Fault, fieldFault } from "../../core/fault.ts";
import { createId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import { type Keyset, type Page, pageOf, type PageRequest, readCursor, UUID } from "../../core/page.ts";
import type { Role } from "../../core/people/role.ts";
import { createTokenSecret } from "../person-secret.ts";
import type { PeopleStore } from "../../people/person.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import { findPerson } from "../../people/find-person.ts";
import { sessionEnded } from "../session/session.ts";
import type { PersonalToken, TokenStore } from "./token.ts";

/** `person`: whose, by an id or an email. Narrower than them, by a role or an account; null: not in this way. */
export type TokenOrder = { person: string; name: string; role: Role | null; account: string | null; days: number };

/** What people do with tokens for their programs. */
export type ManageTokens = {
  /** The secret is shown this once. */
  create: (order: TokenOrder, by: By) => Promise<{ token: PersonalToken; secret: string }>;
  /** Newest first, revoked and expired ones too. `person`: whose; null: everybody's. */
  list: (asked: PageRequest & { person: string | null }) => Promise<Page<PersonalToken>>;
  /** `only`: whose they may revoke; null: anybody's. */
  revoke: (id: string, by: By & { only: string | null }) => Promise<{ token: PersonalToken; changed: boolean }>;
};

type Parts = {
  tokens: TokenStore;
  people: Pick<PeopleStore, "byId" | "byEmail">;
  /** For whoever sees these accounts alone, what is elsewhere does not exist. */
  findAccount: (name: string, within: By["within"]) => Promise<{ id: string }>;
  clock: Pick<Clock, "nowMs">;
  events: Pick<OperatorEvents, "personChanged">;
};

const DAY_MS = 86_400_000;
const MOST_DAYS = 365;
const NEWEST_FIRST: Keyset = { list: "tokens", values: [UUID] };

export function createManageTokens({ tokens, people, findAccount, clock, events }: Parts): ManageTokens {
  const at = async (id: string): Promise<PersonalToken> => {
    const token = UUID.test(id) ? await tokens.byId(id) : null;
    if (token === null) throw unknown();
    return token;
  };
  const told = (token: PersonalToken, change: string, by: By): void =>
    events.personChanged({ personId: token.personId, email: token.email, change: `${change} ${token.prefix}`, ...by });

  return {
    create: async ({ person: of, name, role, account, days }, by) => {
      const person = await findPerson(people, of);
      if (person.state === "removed") throw unknown();
      if (days < 1 || days > MOST_DAYS) throw fieldFault("days", `Input should be 1 to ${MOST_DAYS}`);
      const accountId = account === null ? null : (await findAccount(account, by.within)).id;
      const createdAtMs = clock.nowMs();
      const id = createId(createdAtMs);
      const { secret, digest, prefix } = createTokenSecret();
      const expiresAtMs = createdAtMs + days * DAY_MS;
      const order = { id, digest, prefix, personId: person.id, name, role, accountId, createdAtMs, expiresAtMs };
      if (!(await tokens.insert({ ...order, sessionId: by.sessionId ?? null }))) throw sessionEnded();
      const token = await tokens.byId(id);
      invariant(token, "a token that was made is there");
      told(token, "token created", by);
      return { token, secret };
    },
    list: async ({ person: of, limit, after }) => {
      const [last = null] = readCursor(NEWEST_FIRST, after) ?? [];
      const personId = of === null ? null : (await findPerson(people, of)).id;
      const rows = await tokens.list({ limit: limit + 1, after: last, personId });
      return pageOf(rows, { limit, list: NEWEST_FIRST.list, valuesOf: ({ id }) => [id] });
    },
    revoke: async (id, { only, ...by }) => {
      const token = await at(id);
      if (only !== null && token.personId !== (await findPerson(people, only)).id) throw unknown();
      const changed = await tokens.revoke(id, clock.nowMs());
      if (changed) told(token, "token revoked", by);
      return { token: await at(id), changed };
    },
  };
}

const unknown = (): Fault => new Fault("not_found", "There is no such token. `tollgate tokens list` shows yours.");
