import type { KeycloakServer } from "./keycloak-server.ts";

export const PASSWORD = "a password of somebody at Keycloak";
const NAME = "acme";
const CLIENT_ID = "tollgate";

const TOKEN_MS = 30_000;

type Json = Record<string, unknown>;
type Named = { id: string; name: string };

/** One realm with the gateway as its client, changed as an administrator does: through the admin API. */
export type Realm = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Somebody with a verified address; `groups` by their path. */
  addUser: (login: string, groups: readonly string[], more?: Json) => Promise<void>;
  changeUser: (login: string, change: Json) => Promise<void>;
  deleteUser: (login: string) => Promise<void>;
  join: (login: string, group: string) => Promise<void>;
  leave: (login: string, group: string) => Promise<void>;
  /** Ends the sessions of somebody. */
  signOut: (login: string) => Promise<void>;
  /** Takes back what somebody allowed the gateway: its offline tokens. */
  revoke: (login: string) => Promise<void>;
  /** Takes all roles of somebody, as those have none whom a file brought. */
  takeRoles: (login: string) => Promise<void>;
  changeRealm: (change: Json) => Promise<void>;
  changeClient: (change: Json) => Promise<void>;
  changeMapper: (config: Json) => Promise<void>;
  /** Whether clients may ask for an optional scope. */
  offerScope: (name: string, how: "PUT" | "DELETE") => Promise<void>;
  allowRedirect: (uri: string) => Promise<void>;
  /** New keys sign from now on. */
  addKeys: () => Promise<void>;
};

const MAPPER = {
  "claim.name": "groups",
  "full.path": "false",
  "id.token.claim": "true",
  "access.token.claim": "false",
  "userinfo.token.claim": "true",
};

/** Everything else is as Keycloak has it by default. */
const realmWith = (client: Json, groups: readonly string[]): Json => ({
  realm: NAME,
  enabled: true,
  // Slow ones are not what is tested here.
  passwordPolicy: "hashAlgorithm(pbkdf2-sha256) and hashIterations(1)",
  groups: groups.map((name) => ({ name })),
  clients: [
    {
      clientId: CLIENT_ID,
      publicClient: false,
      standardFlowEnabled: true,
      directAccessGrantsEnabled: false,
      attributes: { "pkce.code.challenge.method": "S256" },
      protocolMappers: [
        {
          name: "groups",
          protocol: "openid-connect",
          protocolMapper: "oidc-group-membership-mapper",
          config: MAPPER,
        },
      ],
      ...client,
    },
  ],
});

export const issuerAt = (url: string): string => `${url}/realms/${NAME}`;
export const CLIENT = { id: CLIENT_ID, secret: "the-secret-that-keycloak-has-for-the-gateway" };

type Made = { redirectUri: string; groups: readonly string[] };

export async function createRealm(server: Pick<KeycloakServer, "url" | "password">, made: Made): Promise<Realm> {
  const ask = askingAs(server);
  await ask("DELETE /acme").catch(() => undefined);
  const client = { secret: CLIENT.secret, redirectUris: [made.redirectUri] };
  await ask("POST ", realmWith(client, made.groups));

  const clients = await ask<Named[]>(`GET /acme/clients?clientId=${CLIENT_ID}`);
  const clientPath = `/acme/clients/${clients[0]?.id}`;
  const groups = new Map((await ask<Named[]>("GET /acme/groups")).map(({ name, id }) => [name, id]));
  const userPath = async (login: string): Promise<string> => {
    const [user] = await ask<Named[]>(`GET /acme/users?exact=true&username=${login}`);
    if (user === undefined) throw new Error(`${login} is not in the realm`);
    return `/acme/users/${user.id}`;
  };
  const change = async (path: string, changed: Json): Promise<void> =>
    void (await ask(`PUT ${path}`, { ...(await ask<Json>(`GET ${path}`)), ...changed }));

  return {
    issuer: issuerAt(server.url),
    clientId: CLIENT_ID,
    clientSecret: CLIENT.secret,
    addUser: async (login, of, more = {}) => {
      const credentials = [{ type: "password", value: PASSWORD, temporary: false }];
      const names = { username: login, firstName: login, lastName: "Example", email: `${login}@acme.example` };
      const paths = of.map((group) => `/${group}`);
      await ask("POST /acme/users", {
        ...names,
        enabled: true,
        emailVerified: true,
        credentials,
        groups: paths,
        ...more,
      });
    },
    changeUser: async (login, changed) => change(await userPath(login), changed),
    deleteUser: async (login) => void (await ask(`DELETE ${await userPath(login)}`)),
    join: async (login, group) => void (await ask(`PUT ${await userPath(login)}/groups/${groups.get(group)}`)),
    leave: async (login, group) => void (await ask(`DELETE ${await userPath(login)}/groups/${groups.get(group)}`)),
    signOut: async (login) => void (await ask(`POST ${await userPath(login)}/logout`)),
    revoke: async (login) => void (await ask(`DELETE ${await userPath(login)}/consents/${CLIENT_ID}`)),
    takeRoles: async (login) => {
      const path = `${await userPath(login)}/role-mappings/realm`;
      await ask(`DELETE ${path}`, await ask<Json[]>(`GET ${path}`));
    },
    changeRealm: (changed) => change("/acme", changed),
    changeClient: (changed) => change(clientPath, changed),
    changeMapper: async (config) => {
      const path = `${clientPath}/protocol-mappers/models`;
      const [mapper] = await ask<(Named & { config: Json })[]>(`GET ${path}`);
      if (mapper === undefined) throw new Error("the client has no mapper");
      await ask(`PUT ${path}/${mapper.id}`, { ...mapper, config: { ...mapper.config, ...config } });
    },
    offerScope: async (name, how) => {
      const scopes = await ask<Named[]>("GET /acme/client-scopes");
      const id = scopes.find((scope) => scope.name === name)?.id;
      await ask(`${how} ${clientPath}/optional-client-scopes/${id}`);
    },
    allowRedirect: async (uri) => {
      const { redirectUris } = await ask<{ redirectUris: string[] }>(`GET ${clientPath}`);
      await change(clientPath, { redirectUris: [...redirectUris, uri] });
    },
    addKeys: async () => {
      const realm = await ask<{ id: string }>("GET /acme");
      await ask("POST /acme/components", {
        name: "newer keys",
        providerId: "rsa-generated",
        providerType: "org.keycloak.keys.KeyProvider",
        parentId: realm.id,
        config: { priority: ["200"], enabled: ["true"], active: ["true"], algorithm: ["RS256"] },
      });
    },
  };
}

/** Asks the admin API; a path is below `/admin/realms`. Its tokens live for a minute. */
function askingAs({ url, password }: Pick<KeycloakServer, "url" | "password">) {
  const tokenUrl = `${url}/realms/master/protocol/openid-connect/token`;
  const form = { grant_type: "password", client_id: "admin-cli", username: "admin", password };
  let known = { token: "", untilMs: 0 };
  async function tokenOf(): Promise<string> {
    if (performance.now() < known.untilMs) return known.token;
    const untilMs = performance.now() + TOKEN_MS;
    const granted = await fetch(tokenUrl, { method: "POST", body: new URLSearchParams(form) });
    if (!granted.ok) throw new Error(`Keycloak's administrator gets ${granted.status}: ${await granted.text()}`);
    known = { token: ((await granted.json()) as { access_token: string }).access_token, untilMs };
    return known.token;
  }
  return async <Answer>(call: string, body?: Json | Json[]): Promise<Answer> => {
    const token = await tokenOf();
    const [method = "", path = ""] = call.split(" ");
    const response = await fetch(`${url}/admin/realms${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Keycloak: ${call}: ${response.status} ${text.slice(0, 300)}`);
    return (text === "" ? null : JSON.parse(text)) as Answer;
  };
}
