import { operate } from "../../contract/operator.ts";
import { type GatewayOptions, type GatewayProcess, rememberSecrets, startGatewayProcess } from "../gateway-process.ts";
import { approve, openDeviceClient } from "./device-client.ts";
import { type OidcServer, type OidcUser, signInSettings, startOidc } from "./start-oidc.ts";

type Options = GatewayOptions & {
  /** What the members of groups get. */
  groups: string;
  users?: Record<string, OidcUser>;
  /** What the provider calls itself. */
  host?: "127.0.0.1" | "localhost";
  teams?: readonly string[];
};

/** A gateway whose people sign in at a provider of their own, with the organisation Acme and a hundred credits. */
export type SignInGateway = {
  oidc: OidcServer;
  gateway: GatewayProcess;
  /** Somebody whom the provider knows from now on. */
  join: (login: string, ...groups: string[]) => void;
  /** The access token of a client that somebody signed in with. */
  signInClient: (login: string) => Promise<string>;
  /** A message to a model, with a token. */
  sendMessage: (token: unknown, fields?: { path?: string; model?: string; max_tokens?: number }) => Promise<Response>;
  stop: () => Promise<void>;
};

export async function startSignInGateway(options: Options): Promise<SignInGateway> {
  const { groups, users = {}, host = "127.0.0.1", teams = ["Search"], settings = {}, ...rest } = options;
  const oidc = await startOidc(users, { host });
  rememberSecrets([oidc.clientSecret]);
  const gateway = await startGatewayProcess({ ...rest, settings: { ...signInSettings(oidc, groups), ...settings } });
  oidc.allowRedirect(`${gateway.publicUrl}/oauth/callback`);
  await operate(gateway, "POST /accounts", { name: "Acme", kind: "organisation" });
  for (const name of teams) await operate(gateway, "POST /accounts", { name, kind: "team", parent: "Acme" });
  await operate(gateway, "POST /accounts/Acme/topups", { amount: "100", reference: "first" });
  return {
    oidc,
    gateway,
    join: (login, ...theirs) =>
      void oidc.users.set(login, { email: `${login}@acme.example`, name: login, groups: theirs }),
    signInClient: async (login) => {
      const device = openDeviceClient(gateway.publicUrl);
      const started = await device.start();
      await approve(started, login);
      return String((await device.poll(started)).body["access_token"]);
    },
    sendMessage: (token, { path = "/v1/messages", model = "messages", max_tokens = 500 } = {}) =>
      fetch(`${gateway.publicUrl}${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${String(token)}`,
          "content-type": "application/json",
          "anthropic-version": "2023-06-01",
        },
        body: JSON.stringify({ model, max_tokens, messages: [{ role: "user", content: "hello" }] }),
      }),
    stop: async () => {
      rememberSecrets(oidc.issued);
      await gateway.stop();
      await oidc.close();
    },
  };
}
