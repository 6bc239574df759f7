import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROVIDER_DIALECTS, type ProviderDialect } from "../../../src/core/request/dialect.ts";
import { operate } from "../../contract/operator.ts";
import { type GatewayProcess, rememberSecrets, startGatewayProcess } from "../../support/gateway-process.ts";
import { approve } from "../../support/oidc/device-client.ts";
import { type OidcServer, signInSettings, startOidc } from "../../support/oidc/start-oidc.ts";
import type { Agent } from "../agent.ts";
import { CONTENT } from "../agent-case.ts";
import { toolScript } from "../tool-script.ts";

/** A task for one agent, at a provider of one format. */
export type Task = { model: string; provider: ProviderDialect; file: string };

/** A gateway, its identity provider, and somebody whose agents sign in. */
export type SignInStage = AsyncDisposable & {
  gateway: GatewayProcess;
  oidc: OidcServer;
  person: { email: string; account: string };
  /** What the person does in the browser that a client asks for. */
  approve: (userCode: string) => Promise<void>;
  /** A folder of this agent. */
  folder: (name: string) => string;
  tasks: (agent: Agent) => readonly Task[];
  /** What the person may spend in a month from now on. */
  setLimit: (amount: string) => Promise<void>;
  /** Sessions of the person, as operators see them. */
  sessions: () => Promise<{ id: string; client: string }[]>;
};

const PERSON = { email: "ann@acme.example", account: "Acme/Search/ann@acme.example" };
const MAX_OUTPUT_TOKENS = 64_000;

export async function openSignInStage(agents: readonly Agent[]): Promise<SignInStage> {
  const root = mkdtempSync(join(tmpdir(), "tg-sign-in-"));
  const folder = (name: string): string => {
    mkdirSync(join(root, name), { recursive: true });
    return join(root, name);
  };
  const tasks = new Map(agents.map((agent, at) => [agent, tasksOf(String(at), folder(`work-${at}`))]));
  const models = [...tasks].flatMap(([agent, each], at) =>
    each.map(({ model, provider, file }, place) => [
      model,
      {
        spoken: provider,
        maxOutputTokens: MAX_OUTPUT_TOKENS,
        // A delay tells the models of two tasks apart: what is done once is done once for each.
        upstream: `sim+thinking=4+${toolScript(agent.writeFile(file, CONTENT))}+ttft=${at * 10 + place}`,
      },
    ]),
  );
  const oidc = await startOidc({ ann: { email: PERSON.email, name: "Ann Anders", groups: ["search"] } });
  const gateway = await startGatewayProcess({
    models: Object.fromEntries(models),
    settings: {
      ...signInSettings(oidc, "search -> member of Acme/Search with 50 per month"),
      TOLLGATE_WEBSOCKET_ENABLED: "on",
    },
  });
  oidc.allowRedirect(`${gateway.publicUrl}/oauth/callback`);
  await operate(gateway, "POST /accounts", { name: "Acme", kind: "organisation" });
  await operate(gateway, "POST /accounts", { name: "Search", kind: "team", parent: "Acme" });
  await operate(gateway, "POST /accounts/Acme/topups", { amount: "100", reference: "first" });
  const account = encodeURIComponent(PERSON.account);
  return {
    gateway,
    oidc,
    person: PERSON,
    folder,
    tasks: (agent) => tasks.get(agent) ?? [],
    approve: async (userCode) => {
      const page = `${gateway.publicUrl}/device?user_code=${userCode}`;
      const { status, body } = await approve({ page, userCode, deviceCode: "" }, "ann");
      if (status !== 200) throw new Error(`the code was not approved: ${status} ${body}`);
    },
    setLimit: async (amount) =>
      void (await operate(gateway, `POST /accounts/${account}/limits`, { amount, period: "month" })),
    sessions: async () => {
      const { data } = await operate<{ data: { id: string; client: string }[] }>(gateway, "GET /client-sessions");
      return data;
    },
    [Symbol.asyncDispose]: async () => {
      rememberSecrets([oidc.clientSecret, ...oidc.issued]);
      await gateway.stop();
      await oidc.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const tasksOf = (agent: string, work: string): Task[] =>
  PROVIDER_DIALECTS.map((provider) => ({
    model: `task-${agent}-${provider}`,
    provider,
    file: join(work, `made-${provider}.txt`),
  }));
