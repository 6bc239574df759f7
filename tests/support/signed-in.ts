import { createId } from "../../src/core/ids.ts";
import { type ClientSessions, createClientSessions, type SessionTokens } from "../../src/keys/client-session.ts";
import { createClientSessionStore } from "../../src/keys/client-session-store.ts";
import type { ChainedGateway } from "./chained-gateway.ts";
import { rememberSecrets } from "./gateway-process.ts";

export type SignedIn = { personId: string; email: string; tokens: SessionTokens };

/** Puts people into the accounts of a gateway and signs them in, as the end of a sign-in does. */
export function signIns(stage: Pick<ChainedGateway, "query" | "transaction">) {
  const store = createClientSessionStore(stage);
  const sessions: ClientSessions = createClientSessions({ store, clock: { nowMs: Date.now } });

  async function person(email: string, accountId: string): Promise<string> {
    const id = createId(Date.now());
    await stage.query("insert into person (id, email, name, account_id, created_at) values ($1, $2, $2, $3, now())", [
      id,
      email,
      accountId,
    ]);
    return id;
  }

  async function begin(personId: string, client = "Claude Code"): Promise<SessionTokens> {
    const begun = await sessions.begin(personId, { client, agent: "a test", address: "192.0.2.7" });
    if (begun.kind !== "begun") throw new Error(`refused: ${begun.reason}`);
    rememberSecrets([begun.tokens.accessToken, begun.tokens.refreshToken]);
    return begun.tokens;
  }

  async function refresh(refreshToken: string): Promise<SessionTokens> {
    const refreshed = await sessions.refresh(refreshToken);
    if (refreshed.kind !== "refreshed") throw new Error(`refused: ${refreshed.reason}`);
    rememberSecrets([refreshed.tokens.accessToken, refreshed.tokens.refreshToken]);
    return refreshed.tokens;
  }

  return {
    sessions,
    person,
    begin,
    refresh,
    signIn: async (email: string, accountId: string): Promise<SignedIn> => {
      const personId = await person(email, accountId);
      return { personId, email, tokens: await begin(personId) };
    },
  };
}
