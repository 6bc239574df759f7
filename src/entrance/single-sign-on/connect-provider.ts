import type * as OpenidClient from "openid-client";
import type { Clock } from "../../core/clock.ts";
import type { Secret } from "../../core/secret/secret.ts";

export type ProviderSettings = {
  issuer: string;
  clientId: string;
  /** Null: the provider knows this client without one. */
  clientSecret: Secret | null;
  /** Separated by spaces. */
  scopes: string;
  /** Further parameters of the authorization request, as in a URL. */
  authorizationParameters: string;
  groupsClaim: string;
  /** Where the provider sends browsers back to. */
  redirectUri: () => string;
};

export type Library = typeof OpenidClient;

/** The library, and the provider as it describes itself. */
export type ProviderConnection = { client: Library; configuration: OpenidClient.Configuration };

/** How long the addresses of a provider are used before they are read again. */
const DISCOVERY_MS = 600_000;
const TIMEOUT_SECONDS = 10;

type Parts = { settings: ProviderSettings; clock: Pick<Clock, "elapsedMs"> };

/** Each connection reads the provider's keys anew, so that one which has just changed its keys is believed. */
export function createConnect({ settings, clock }: Parts): {
  connect: () => Promise<ProviderConnection>;
  /** Reads the provider's addresses again at the next connection. */
  forget: () => void;
} {
  const { issuer, clientId, clientSecret } = settings;
  // Settings allow it on this machine alone.
  const isPlain = issuer.startsWith("http:");
  let known: { read: Promise<OpenidClient.Configuration>; atMs: number } | null = null;

  function discover(client: Library): Promise<OpenidClient.Configuration> {
    if (known === null || clock.elapsedMs() - known.atMs > DISCOVERY_MS) {
      const options = { execute: isPlain ? [client.allowInsecureRequests] : [], timeout: TIMEOUT_SECONDS };
      const read = client.discovery(new URL(issuer), clientId, {}, client.None(), options);
      known = { read, atMs: clock.elapsedMs() };
    }
    return known.read;
  }

  function authentication(client: Library, methods: readonly string[]): OpenidClient.ClientAuth {
    if (clientSecret === null) return client.None();
    const isBasic = methods.includes("client_secret_basic");
    return (isBasic ? client.ClientSecretBasic : client.ClientSecretPost)(clientSecret.reveal());
  }

  return {
    connect: async () => {
      // Loaded with the first use: most gateways have no identity provider.
      const client = await import("openid-client");
      const metadata = (await discover(client)).serverMetadata();
      const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
      const configuration = new client.Configuration(metadata, clientId, {}, authentication(client, methods));
      configuration.timeout = TIMEOUT_SECONDS;
      if (isPlain) client.allowInsecureRequests(configuration);
      client.enableNonRepudiationChecks(configuration);
      return { client, configuration };
    },
    forget: () => void (known = null),
  };
}
