import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openBrowser } from "../../../tests/support/oidc/browser.ts";
import { type OidcServer, startOidc } from "../../../tests/support/oidc/start-oidc.ts";
import { createSecret } from "../../core/secret/secret.ts";
import { createIdentityProvider, type Identified, type IdentityProvider } from "./identity-provider.ts";

const REDIRECT = "http://127.0.0.1:1/admin/v1/sign-in/oidc/callback";
const ANN = { email: "Ann@Acme.example", name: "Ann", groups: ["search"] };

let oidc: OidcServer;
let provider: IdentityProvider;
beforeAll(async () => {
  oidc = await startOidc();
  oidc.allowRedirect(REDIRECT);
});
afterAll(() => oidc.close());
beforeEach(() => {
  oidc.fail(null);
  oidc.tamper(null);
  oidc.users.set("ann", { ...ANN });
  provider = createIdentityProvider({ settings: settingsOf(oidc), clock: { elapsedMs: () => 0 } });
});

const settingsOf = ({ issuer, clientId, clientSecret }: OidcServer) => ({
  issuer,
  clientId,
  clientSecret: createSecret(clientSecret),
  scopes: "openid email profile offline_access",
  authorizationParameters: "",
  groupsClaim: "groups",
  redirectUri: () => REDIRECT,
});

async function begun(from = provider) {
  const attempt = await from.begin();
  if (attempt.kind !== "begun") throw new Error(attempt.detail);
  return attempt;
}

/** As far as the browser's way back. */
async function cameBack(from = provider) {
  const attempt = await begun(from);
  const browser = openBrowser();
  const page = await browser.submit(
    await browser.visit(attempt.url),
    { login: "ann", password: "x" },
    { until: /callback/ },
  );
  return { attempt, query: new URL(page.next ?? "").search.slice(1) };
}

async function signedIn(): Promise<Identified> {
  const { attempt, query } = await cameBack();
  const outcome = await provider.finish(query, attempt);
  if (outcome.kind !== "identified") throw new Error(outcome.detail);
  return outcome;
}

test("somebody who signs in at the provider is identified, with their groups", async () => {
  const { claims, refreshToken } = await signedIn();

  expect(claims).toEqual({
    subject: "ann",
    email: "ann@acme.example",
    emailVerified: true,
    name: "Ann",
    groups: ["search"],
  });
  expect(refreshToken?.reveal()).toMatch(/^\S{20,}$/);
});

test("the request has a state, a nonce and a challenge of its own, and not the verifier", async () => {
  const [one, other] = [await begun(), await begun()];
  const query = new URL(one.url).searchParams;

  expect(query.get("code_challenge_method")).toBe("S256");
  expect(query.get("code_challenge")).not.toBe(one.verifier);
  expect([query.get("state"), query.get("nonce")]).toEqual([one.state, one.nonce]);
  expect(one.url).not.toContain(one.verifier);
  for (const name of ["state", "nonce", "verifier"] as const) expect(one[name]).not.toBe(other[name]);
});

test("parameters that the operator adds are sent beside those of the gateway, and replace none of them", async () => {
  const added = createIdentityProvider({
    settings: { ...settingsOf(oidc), authorizationParameters: "access_type=offline&prompt=consent&state=chosen" },
    clock: { elapsedMs: () => 0 },
  });
  const attempt = await begun(added);
  const query = new URL(attempt.url).searchParams;

  expect([query.get("access_type"), query.get("prompt")]).toEqual(["offline", "consent"]);
  expect(query.getAll("state")).toEqual([attempt.state]);
});

test("a refresh tells the groups of today and brings the next token", async () => {
  const { refreshToken } = await signedIn();
  oidc.users.set("ann", { ...ANN, groups: ["ads", "leads"] });

  const refreshed = await provider.refresh(refreshToken?.reveal() ?? "", "ann");

  expect(refreshed).toMatchObject({ kind: "identified", claims: { groups: ["ads", "leads"] } });
  expect((refreshed as Identified).refreshToken?.reveal()).not.toBe(refreshToken?.reveal());
});

test("whoever the provider no longer knows is refused", async () => {
  const { refreshToken } = await signedIn();
  oidc.users.delete("ann");

  expect(await provider.refresh(refreshToken?.reveal() ?? "", "ann")).toEqual({
    kind: "refused",
    detail: "the provider answered invalid_grant",
  });
});

test.each(["reset", 503, 400] as const)("a provider that fails (%s) refuses nobody: nothing is known", async (how) => {
  const { refreshToken } = await signedIn();
  oidc.fail(how);
  const down = await provider.refresh(refreshToken?.reveal() ?? "", "ann");
  oidc.fail(null);

  expect(down.kind).toBe("unknown");
  expect(await provider.refresh(refreshToken?.reveal() ?? "", "ann")).toMatchObject({ kind: "identified" });
});

test("a wrong secret of this client refuses nobody", async () => {
  const { refreshToken } = await signedIn();
  const wrong = createIdentityProvider({
    settings: { ...settingsOf(oidc), clientSecret: createSecret("wrong") },
    clock: { elapsedMs: () => 0 },
  });

  expect(await wrong.refresh(refreshToken?.reveal() ?? "", "ann")).toEqual({
    kind: "unknown",
    detail: "the provider rejects this client: check its id and its secret",
  });
});

test("a provider that changed its keys a moment ago is believed, and old keys are not", async () => {
  await signedIn();
  oidc.rotateKeys();
  expect((await signedIn()).claims.subject).toBe("ann");

  const { attempt, query } = await cameBack();
  oidc.tamper((claims) => {
    // The token is signed with keys that are no longer published by the time they are looked up.
    oidc.rotateKeys();
    return claims;
  });
  expect(await provider.finish(query, attempt)).toMatchObject({ kind: "unknown" });
});

test("a token that is signed again unchanged is believed, so that the cases below fail for what they change", async () => {
  oidc.tamper((claims) => claims);

  expect((await signedIn()).claims.subject).toBe("ann");
});

test.each([
  ["nonce", (claims: object) => ({ ...claims, nonce: "another" })],
  ["missing nonce", (claims: object) => ({ ...claims, nonce: undefined })],
  ["issuer", (claims: object) => ({ ...claims, iss: "https://evil.example" })],
  ["audience", (claims: object) => ({ ...claims, aud: "another-client" })],
  ["authorized party", (claims: object) => ({ ...claims, aud: [oidc.clientId, "other"], azp: "other" })],
  ["expired", (claims: object) => ({ ...claims, exp: 1_000 })],
  ["missing subject", (claims: object) => ({ ...claims, sub: undefined })],
])("an ID token with a wrong %s identifies nobody", async (_what, change) => {
  const { attempt, query } = await cameBack();
  oidc.tamper(change);

  expect((await provider.finish(query, attempt)).kind).not.toBe("identified");
});

test("a refresh that speaks of somebody else identifies nobody", async () => {
  const { refreshToken } = await signedIn();
  oidc.tamper((claims) => ({ ...claims, sub: "bob" }));

  expect(await provider.refresh(refreshToken?.reveal() ?? "", "ann")).toMatchObject({ kind: "unknown" });
});

test.each([
  ["state", (query: URLSearchParams) => query.set("state", "another")],
  ["missing state", (query: URLSearchParams) => query.delete("state")],
  ["issuer", (query: URLSearchParams) => query.set("iss", "https://evil.example")],
  ["missing issuer, which the provider promised to name", (query: URLSearchParams) => query.delete("iss")],
  ["code", (query: URLSearchParams) => query.set("code", "another")],
  ["doubled code", (query: URLSearchParams) => query.append("code", "another")],
])("a way back with a wrong %s identifies nobody", async (_what, change) => {
  const { attempt, query } = await cameBack();
  const changed = new URLSearchParams(query);
  change(changed);

  expect((await provider.finish(changed.toString(), attempt)).kind).not.toBe("identified");
});

test("the verifier of another attempt identifies nobody, and a code is good for once", async () => {
  const { attempt, query } = await cameBack();
  const other = await begun();

  expect((await provider.finish(query, { ...attempt, verifier: other.verifier })).kind).toBe("refused");
  const second = await cameBack();
  expect((await provider.finish(second.query, second.attempt)).kind).toBe("identified");
  expect((await provider.finish(second.query, second.attempt)).kind).toBe("refused");
});

test("somebody who is refused by the provider, or cancels, is refused", async () => {
  const attempt = await begun();
  const query = new URLSearchParams({ error: "access_denied", state: attempt.state, iss: oidc.issuer }).toString();

  expect(await provider.finish(query, attempt)).toEqual({
    kind: "refused",
    detail: "the provider answered access_denied",
  });
});

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

test.each([
  ["20 seconds behind", () => ({ iat: nowSeconds() - 320, exp: nowSeconds() - 20 }), "identified"],
  ["two minutes behind", () => ({ iat: nowSeconds() - 420, exp: nowSeconds() - 120 }), "unknown"],
  [
    "20 seconds ahead",
    () => ({ iat: nowSeconds() + 20, nbf: nowSeconds() + 20, exp: nowSeconds() + 320 }),
    "identified",
  ],
  [
    "two minutes ahead",
    () => ({ iat: nowSeconds() + 120, nbf: nowSeconds() + 120, exp: nowSeconds() + 420 }),
    "unknown",
  ],
] as const)(
  "of a provider whose clock is %s, a token of five minutes is taken within the tolerance alone",
  async (_how, times, kind) => {
    const { attempt, query } = await cameBack();
    oidc.tamper((claims) => ({ ...claims, ...times() }));

    expect((await provider.finish(query, attempt)).kind).toBe(kind);
  },
);

test("a provider whose clock is wrong ends nobody's access: what it says at a check is unknown, not a refusal", async () => {
  const { refreshToken } = await signedIn();
  oidc.tamper((claims) => ({ ...claims, iat: nowSeconds() - 7_200, exp: nowSeconds() - 3_600 }));

  expect((await provider.refresh(refreshToken?.reveal() ?? "", "ann")).kind).toBe("unknown");
});
