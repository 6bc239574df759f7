import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Context, Provider } from "oidc-provider";

/** Somebody whom the provider knows. Their login is their subject. `emailVerified`: null: the provider does not say. */
export type OidcUser = { email: string; name?: string; groups: string[]; emailVerified?: boolean | null };

type IdToken = Record<string, unknown>;

/** A real OpenID provider on loopback, with users that a test changes. */
export type OidcServer = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  users: Map<string, OidcUser>;
  /** Where browsers may be sent back to; the address is known when the gateway listens. */
  allowRedirect: (uri: string) => void;
  /** New keys sign from now on, and the old ones are gone. */
  rotateKeys: () => void;
  /** `reset`: connections are cut. `hang`: nothing is answered. Else each request gets this status. */
  fail: (how: "reset" | "hang" | number | null) => void;
  /** Changes the claims of an ID token before it is signed. */
  tamper: (change: ((claims: IdToken) => IdToken) | null) => void;
  /** Every token that it gave out. */
  issued: readonly string[];
  /** How often each path was asked for. */
  asked: (path: string) => number;
  close: () => Promise<void>;
};

const ALGORITHM = "ES256";

/** Its settings as the environment of a gateway names them. */
export const signInSettings = (oidc: OidcServer, groups: string): Record<string, string> => ({
  TOLLGATE_SIGN_IN_ISSUER: oidc.issuer,
  TOLLGATE_SIGN_IN_CLIENT_ID: oidc.clientId,
  TOLLGATE_SIGN_IN_CLIENT_SECRET: oidc.clientSecret,
  TOLLGATE_SIGN_IN_GROUPS: groups,
  TOLLGATE_CREDENTIAL_KEY: randomBytes(32).toString("base64"),
});

/** `host`: what it calls itself; it listens on 127.0.0.1. */
export async function startOidc(
  users: Record<string, OidcUser> = {},
  { host = "127.0.0.1" }: { host?: "127.0.0.1" | "localhost" } = {},
): Promise<OidcServer> {
  const state = {
    users: new Map(Object.entries(users)),
    redirects: new Set<string>(),
    failing: null as "reset" | "hang" | number | null,
    change: null as ((claims: IdToken) => IdToken) | null,
    asked: new Map<string, number>(),
    issued: [] as string[],
  };
  const client = { id: `tollgate-${randomUUID()}`, secret: randomBytes(24).toString("base64url") };
  let serving: ReturnType<Provider["callback"]> = (_request, response) => void response.writeHead(503).end();
  let signer = newSigner();

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://provider").pathname;
    state.asked.set(path, (state.asked.get(path) ?? 0) + 1);
    if (state.failing === "hang") return;
    if (state.failing === "reset") request.socket.destroy();
    else if (state.failing !== null) response.writeHead(state.failing).end("busy");
    else {
      if (path === "/token") overhearTokens(response, { change: state.change, signer, issued: state.issued });
      serving(request, response);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  const open = (): void => {
    serving = quietly(() => createProvider({ issuer, client, jwk: signer.jwk, ...state }));
  };
  open();

  return {
    issuer,
    clientId: client.id,
    clientSecret: client.secret,
    users: state.users,
    issued: state.issued,
    allowRedirect: (uri) => {
      state.redirects.add(uri);
      open();
    },
    rotateKeys: () => {
      signer = newSigner();
      open();
    },
    fail: (how) => void (state.failing = how),
    tamper: (change) => void (state.change = change),
    asked: (path) => state.asked.get(path) ?? 0,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Signer = { key: KeyObject; jwk: Record<string, unknown> };

function newSigner(): Signer {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...privateKey.export({ format: "jwk" }), kid: randomUUID(), use: "sig", alg: ALGORITHM };
  return { key: privateKey, jwk };
}

type Made = {
  issuer: string;
  client: { id: string; secret: string };
  jwk: Record<string, unknown>;
  users: ReadonlyMap<string, OidcUser>;
  redirects: ReadonlySet<string>;
};

function createProvider({ issuer, client, jwk, users, redirects }: Made): ReturnType<Provider["callback"]> {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: redirects.size === 0 ? [`${issuer}/nowhere`] : [...redirects],
        grant_types: ["authorization_code", "refresh_token"],
        id_token_signed_response_alg: ALGORITHM,
      },
    ],
    jwks: { keys: [jwk] },
    cookies: { keys: [client.secret] },
    claims: { openid: ["sub", "groups"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, subject: string) => {
      const user = users.get(subject);
      if (user === undefined) return undefined;
      const { email, name, groups, emailVerified = true } = user;
      return {
        accountId: subject,
        claims: () => ({ sub: subject, email, email_verified: emailVerified ?? undefined, name, groups }),
      };
    },
    // Nobody is asked whether they agree: it is their employer's gateway.
    loadExistingGrant: async ({ oidc }: Context) => {
      const grant = new oidc.provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
      grant.addOIDCScope("openid email profile offline_access");
      await grant.save();
      return grant;
    },
    // Said, so that it does not remark on its defaults. Nothing of a test lasts so long.
    ttl: Object.fromEntries(
      ["Interaction", "Grant", "Session", "AccessToken", "RefreshToken", "IdToken", "AuthorizationCode"].map((name) => [
        name,
        3_600,
      ]),
    ),
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
  });
  return provider.callback();
}

/** It warns of what is right for a test alone: forms that take any password, and a store in memory. */
function quietly<Made>(make: () => Made): Made {
  const { warn, info } = console;
  [console.warn, console.info] = [() => undefined, () => undefined];
  try {
    return make();
  } finally {
    [console.warn, console.info] = [warn, info];
  }
}

/** Notes the tokens that it gives out, and signs an ID token again with other claims, as a provider would that means somebody else. */
function overhearTokens(
  response: ServerResponse,
  { change, signer, issued }: { change: ((claims: IdToken) => IdToken) | null; signer: Signer; issued: string[] },
): void {
  const end = response.end.bind(response) as (body: string) => ServerResponse;
  response.end = ((body: string | Buffer) => {
    const answer = JSON.parse(String(body)) as { id_token?: string; refresh_token?: string; access_token?: string };
    // Of an ID token the signature: the rest of it is times and names, which stand elsewhere too.
    const proof = answer.id_token?.split(".").at(-1);
    issued.push(...[answer.refresh_token, answer.access_token, proof].filter((token) => token !== undefined));
    if (answer.id_token === undefined || change === null) return end(String(body));
    const [head = "", claims = ""] = answer.id_token.split(".");
    const changed = change(JSON.parse(Buffer.from(claims, "base64url").toString()) as IdToken);
    const unsigned = `${head}.${Buffer.from(JSON.stringify(changed)).toString("base64url")}`;
    const signature = sign("sha256", Buffer.from(unsigned), { key: signer.key, dsaEncoding: "ieee-p1363" });
    const written = JSON.stringify({ ...answer, id_token: `${unsigned}.${signature.toString("base64url")}` });
    response.setHeader("content-length", Buffer.byteLength(written));
    return end(written);
  }) as never;
}
