import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from "openid-client";
import type { Clock } from "../../core/clock.ts";
import { createSecret, type Secret } from "../../core/secret/secret.ts";
import { createConnect, type ProviderConnection, type ProviderSettings } from "./connect-provider.ts";
import { isComplete, type ProviderClaims, readClaims } from "./read-claims.ts";
import { isRefusal, whatFailed } from "./what-failed.ts";

/** What is remembered of a sign-in until the browser comes back. */
export type SignInAttempt = { state: string; nonce: string; verifier: string };

export type Identified = { kind: "identified"; claims: ProviderClaims; refreshToken: Secret | null };
/** `refused`: this sign-in or this token is not good. `unknown`: nothing is known, since something failed. */
export type NotIdentified = { kind: "refused" | "unknown"; detail: string };

/** An OpenID provider, asked with the authorization code flow and PKCE. None of these rejects. */
export type IdentityProvider = {
  issuer: string;
  begin: () => Promise<(SignInAttempt & { kind: "begun"; url: string }) | NotIdentified>;
  /** With the query that the browser came back with. */
  finish: (query: string, attempt: SignInAttempt) => Promise<Identified | NotIdentified>;
  /** Asks whether the provider still vouches for somebody, and for their groups. */
  refresh: (refreshToken: string, subject: string) => Promise<Identified | NotIdentified>;
};

type Parts = { settings: ProviderSettings; clock: Pick<Clock, "elapsedMs"> };

export function createIdentityProvider({ settings, clock }: Parts): IdentityProvider {
  const { groupsClaim, scopes, authorizationParameters, redirectUri } = settings;
  const { connect, forget } = createConnect({ settings, clock });

  async function asking<Answer>(work: (to: ProviderConnection) => Promise<Answer>): Promise<Answer | NotIdentified> {
    try {
      return await work(await connect());
    } catch (error) {
      const detail = whatFailed(error);
      if (isRefusal(error)) return { kind: "refused", detail };
      // Perhaps the provider has moved.
      forget();
      return { kind: "unknown", detail };
    }
  }

  return {
    issuer: settings.issuer,
    begin: () =>
      asking(async ({ client, configuration }) => {
        const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
        const url = client.buildAuthorizationUrl(configuration, {
          ...Object.fromEntries(new URLSearchParams(authorizationParameters)),
          redirect_uri: redirectUri(),
          scope: scopes,
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
        });
        return { kind: "begun", url: url.href, state, nonce, verifier };
      }),
    finish: (query, { state, nonce, verifier }) =>
      asking(async (to) => {
        const back = new URL(`${redirectUri()}?${query}`);
        const checks = {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        };
        const answer = await to.client.authorizationCodeGrant(to.configuration, back, checks);
        return identify(to, answer, { subject: null, groupsClaim });
      }),
    refresh: (refreshToken, subject) =>
      asking(async (to) => {
        const answer = await to.client.refreshTokenGrant(to.configuration, refreshToken);
        return identify(to, answer, { subject, groupsClaim });
      }),
  };
}

/** Who a response of the token endpoint speaks of. What the ID token leaves out is asked for. */
async function identify(
  { client, configuration }: ProviderConnection,
  answer: TokenEndpointResponse & TokenEndpointResponseHelpers,
  { subject, groupsClaim }: { subject: string | null; groupsClaim: string },
): Promise<Identified | NotIdentified> {
  const inToken: Readonly<Record<string, unknown>> = answer.claims() ?? {};
  const expected = subject ?? inToken["sub"];
  if (typeof expected !== "string" || (inToken["sub"] ?? expected) !== expected)
    return { kind: "unknown", detail: "the provider answered with another subject" };
  const isAllTold = isComplete(inToken, groupsClaim) || configuration.serverMetadata().userinfo_endpoint === undefined;
  const more: Readonly<Record<string, unknown>> = isAllTold
    ? {}
    : await client.fetchUserInfo(configuration, answer.access_token, expected);
  const claims = readClaims({ ...more, ...inToken, sub: expected }, groupsClaim);
  if ("problem" in claims)
    return { kind: "unknown", detail: `the provider's response can't be used: ${claims.problem}` };
  const refreshToken = answer.refresh_token === undefined ? null : createSecret(answer.refresh_token);
  return { kind: "identified", claims, refreshToken };
}
