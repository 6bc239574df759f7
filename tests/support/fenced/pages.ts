import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PACKAGES, PYTHON_PACKAGES } from "../../conformance/clients/versions.ts";
import { childEnvironment } from "../child-environment.ts";
import { startGatewayProcess } from "../gateway-process.ts";
import { approveShown } from "../oidc/approve-shown.ts";
import { type OidcServer, startOidc } from "../oidc/start-oidc.ts";
import { installPackages } from "../npm-packages.ts";
import { freshDatabase } from "../postgres.ts";
import { freePort } from "../free-port.ts";
import { packProject } from "../pack-project.ts";
import { installPythonPackages } from "../python-environment.ts";
import { MAIN, runTollgate } from "../run-tollgate.ts";
import { startSimulatorProcess } from "../simulator-process.ts";
import { buildStripeMock, startStripeMock } from "../stripe-mock.ts";
import { STRIPE_KEY, WEBHOOK_SECRET } from "../stripe-topup.ts";
import type { Surroundings } from "./session.ts";

const ROOT = join(import.meta.dirname, "../../..");
const OIDC = join(import.meta.dirname, "../oidc");

type Stage = Surroundings & { close: () => Promise<void> };
/** Something from outside the project cannot be had here. */
type NoStage = { missing: string };
type Replacement = readonly [RegExp, string];

/** What a page tells its reader to have before its first command. */
export const STAGES: Readonly<Record<string, () => Promise<Stage | NoStage>>> = {
  "docs/start/first-token.md": onlyAClone,
  "docs/start/on-postgresql.md": aDatabaseAndAProvider,
  "docs/start/connect-a-client.md": aGatewayAndAKey,
  "docs/guides/first-hour.md": fortyPeople,
  "docs/guides/claude-code-for-a-company.md": aClaudeCode,
  "docs/guides/hand-out-keys.md": aRunningDev,
  "docs/guides/budgets-for-a-team.md": aRunningDev,
  "docs/guides/see-your-usage.md": aRunningDev,
  "docs/guides/add-a-provider.md": aRunningDev,
  "docs/guides/import-prices.md": aRunningDev,
  "docs/guides/reconcile.md": aDevAndBills,
  "docs/guides/see-your-margins.md": aRunningDev,
  "docs/guides/where-requests-run.md": aRunningDev,
  "examples/stripe-topup/README.md": aRunningDevAndStripe,
};

/** A secret where a credential belongs, and the prefix of its key everywhere else. */
export const KEYS: readonly Replacement[] = ["tgc_", "tgt_"].flatMap((kind): Replacement[] => [
  [new RegExp(`(?<=Bearer |=)${kind}…`, "g"), `$(printed ${kind})`],
  [new RegExp(`${kind}(?:…|[A-Za-z0-9]{8}\\b)`, "g"), `$(prefix ${kind})`],
]);

/** As a terminal has it. A machine may reach its registry only through its own settings, so npm gets those. */
export const surroundings = (): Record<string, string> => ({
  ...childEnvironment(),
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(HOME|LANG|NODE_EXTRA_CA_CERTS|npm_config_.*|.*_proxy)$/i.test(name),
    ),
  ),
  PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
  npm_config_prefer_offline: "true",
  npm_config_loglevel: "error",
});

export function temporaryFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-page-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A `tollgate` on the path that runs this checkout. */
function withTollgate(folder: string, environment: Record<string, string>): Record<string, string> {
  const bin = join(folder, ".bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "tollgate"), `#!/bin/sh\nexec node ${MAIN} "$@"\n`);
  chmodSync(join(bin, "tollgate"), 0o755);
  return { ...environment, PATH: `${bin}:${environment["PATH"] ?? ""}` };
}

/**
 * Installs and builds that other tests of the gate make: `.ci/run` installs a clone by the same command, fresh-clone.test.ts has a console
 * built, and package.test.ts packs. The long run does as the page says.
 */
async function madeBefore(folder: string): Promise<Replacement[]> {
  if (process.env["TEST_LONG"] === "1" || !existsSync(join(ROOT, "console/dist"))) return [];
  const link = (path: string): string => `ln -s ${join(ROOT, path)} ${path}`;
  await packProject(folder);
  return [
    [/^npm ci$/gm, `${link("node_modules")} && ${link("console/dist")}`],
    [/^npm pack$/gm, `cp ${join(folder, "tollgate-*.tgz")} .`],
  ];
}

async function onlyAClone(): Promise<Stage> {
  const { folder, remove } = temporaryFolder();
  mkdirSync(join(folder, "packed"));
  const port = await freePort();
  writeFileSync(join(folder, "openai-key.txt"), "sk-simulated\n");
  return {
    folder,
    environment: { ...surroundings(), PORT: String(port) },
    replacements: [
      ...(await madeBefore(join(folder, "packed"))),
      [/<this repository>/g, repositoryWithTheseFiles(join(folder, "repository"))],
      [/127\.0\.0\.1:8080/g, `127.0.0.1:${port}`],
      [/openai-key\.txt/g, join(folder, "openai-key.txt")],
      ...KEYS,
    ],
    packageFolders: [ROOT],
    close: () => Promise.resolve(remove()),
  };
}

/** A repository whose only commit has the files of this checkout as they are, committed or not. */
export function repositoryWithTheseFiles(folder: string): string {
  const git = (cwd: string, ...words: string[]): string =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.com", ...words], {
      cwd,
      encoding: "utf8",
    });
  mkdirSync(folder);
  const files = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0");
  for (const file of new Set(files.filter(Boolean))) cpSync(join(ROOT, file), join(folder, file));
  git(folder, "init", "--quiet");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", "all");
  return folder;
}

async function aDatabaseAndAProvider(): Promise<Stage & { databaseUrl: string; simulatorUrl: string }> {
  const { folder, remove } = temporaryFolder();
  const database = await freshDatabase({ migrated: false });
  const simulator = await startSimulatorProcess();
  const [port, adminPort] = [await freePort(), await freePort()];
  const environment = { ...surroundings(), PORT: String(port), TOLLGATE_ADMIN_PORT: String(adminPort) };
  return {
    databaseUrl: database.url,
    simulatorUrl: simulator.url,
    folder,
    environment: withTollgate(folder, environment),
    replacements: [
      [/postgres:\/\/tollgate:password@127\.0\.0\.1:5432\/tollgate/g, `'${database.url}'`],
      [/https:\/\/api\.openai\.com/g, simulator.url],
      [/127\.0\.0\.1:8080/g, `127.0.0.1:${port}`],
      [/127\.0\.0\.1:8081/g, `127.0.0.1:${adminPort}`],
      [/sk-…/g, "sk-simulated"],
      ...KEYS,
    ],
    packageFolders: [],
    close: async () => {
      await simulator.stop();
      await database.close();
      remove();
    },
  };
}

const PEOPLE = 40;
/** The last of them are in the other team. */
const IN_SEARCH = 31;

/** A database, a provider of models, and an identity provider that knows forty people. Who opens the sign-in page is all of them. */
async function fortyPeople(): Promise<Stage> {
  const stage = await aDatabaseAndAProvider();
  const logins = Array.from({ length: PEOPLE }, (_, index) => `person-${String(index + 1).padStart(2, "0")}`);
  const oidc = await startOidc(
    Object.fromEntries(
      logins.map((login, index) => [
        login,
        {
          email: `${login}@acme.example`,
          name: login,
          groups: [index < IN_SEARCH ? "search" : "ads", ...(index === 0 ? ["gateway-admins"] : [])],
        },
      ]),
    ),
  );
  oidc.allowRedirect(`http://127.0.0.1:${stage.environment["TOLLGATE_ADMIN_PORT"]}/admin/v1/sign-in/oidc/callback`);
  addProgram(stage.folder, "xdg-open", `exec node ${OIDC}/open-browsers.ts "$1" ${logins.join(" ")}`);
  return {
    ...stage,
    replacements: [...replacedBy(oidc), ...stage.replacements],
    close: async () => {
      await stage.close();
      await oidc.close();
    },
  };
}

const replacedBy = ({ issuer, clientId, clientSecret }: OidcServer): Replacement[] => [
  [/https:\/\/id\.example\.com(?:\/realms\/acme)?/g, issuer],
  [/client_id: tollgate/g, `client_id: ${clientId}`],
  [/=client-secret/g, `=${clientSecret}`],
];

/** A gateway that could be started, an identity provider, somebody who does what their terminal says, and a scripted Claude Code. */
async function aClaudeCode(): Promise<Stage> {
  const stage = await aDatabaseAndAProvider();
  const { folder } = stage;
  const port = stage.environment["PORT"] ?? "";
  const oidc = await startOidc({ ann: { email: "ann@acme.example", name: "Ann", groups: ["search"] } });
  oidc.allowRedirect(`http://127.0.0.1:${port}/oauth/callback`);
  const machineWide = join(folder, "etc/claude-code");
  // What is written for the whole machine goes to the folder of the stage, which needs no rights.
  addProgram(folder, "sudo", 'exec "$@"');
  addProgram(folder, "claude", `exec node ${OIDC}/scripted-claude.ts "$@"`);
  const person = approveShown(join(folder, ".session/transcript"), "ann");
  const environment = {
    ...stage.environment,
    DATABASE_URL: stage.databaseUrl,
    TOLLGATE_ADMIN_TOKEN: "a-token-for-a-page-of-the-guides",
    PROVIDER_KEY: "sk-simulated",
    HOME: folder,
    XDG_CONFIG_HOME: "",
    TEST_MANAGED_SETTINGS: join(machineWide, "managed-settings.json"),
  };
  writeFileSync(join(folder, "models.json"), JSON.stringify(claudeCatalogue(stage.simulatorUrl)));
  for (const words of [["migrate"], ["catalogue", "apply", "models.json"]]) {
    const { code, stderr } = await runTollgate(words, { cwd: folder, env: environment });
    if (code !== 0) throw new Error(stderr);
  }
  return {
    ...stage,
    environment,
    replacements: [
      ...replacedBy(oidc),
      [/https:\/\/gateway\.example\.com/g, `http://127.0.0.1:${port}`],
      [/\/etc\/claude-code/g, machineWide],
      ...stage.replacements,
    ],
    close: async () => {
      await person.stop();
      await stage.close();
      await oidc.close();
    },
  };
}

const claudeCatalogue = (simulatorUrl: string): object => ({
  providers: [{ name: "anthropic", base_url: `${simulatorUrl}/v1`, credential: "env:PROVIDER_KEY" }],
  models: [
    {
      id: "claude-sonnet-4-5",
      provider: "anthropic",
      context_window: 200_000,
      max_output_tokens: 64_000,
      price: { input: "3", output: "15" },
      routes: [{ provider: "anthropic", upstream_model: "sim+tokens=10", format: "messages" }],
    },
  ],
});

/** A program on the path of the page's commands. */
function addProgram(folder: string, name: string, line: string): void {
  const path = join(folder, ".bin", name);
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
}

async function aGatewayAndAKey(): Promise<Stage> {
  const gateway = await startGatewayProcess();
  const [vercelAi, langchain] = [
    await installPackages("vercel-ai", PACKAGES.vercelAi),
    await installPackages("langchain", PACKAGES.langchain),
  ];
  const python = [
    await installPythonPackages("openai", PYTHON_PACKAGES.openai),
    await installPythonPackages("anthropic", PYTHON_PACKAGES.anthropic),
  ];
  return {
    folder: gateway.folder,
    environment: {
      ...withTollgate(gateway.folder, surroundings()),
      // Files of clients are written there.
      HOME: gateway.folder,
      PYTHONPATH: python.map(({ folder }) => folder ?? "").join(":"),
    },
    replacements: [
      [/\bnpx tollgate\b/g, "tollgate"],
      [/https:\/\/gateway\.example\.com/g, gateway.publicUrl],
      [/\bMODEL\b/g, "sim-fast"],
      ...KEYS,
    ],
    packageFolders: [ROOT, vercelAi.folder, langchain.folder].filter((folder) => folder !== null),
    printedBefore: `${gateway.keys.credit}\n${gateway.keys.token_budget}\n`,
    close: async () => void (await gateway.stop()),
  };
}

async function aRunningDev(): Promise<Stage> {
  const gateway = await startGatewayProcess();
  const { folder } = gateway;
  writeFileSync(join(folder, "key.txt"), "sk-simulated\n");
  cpSync(join(import.meta.dirname, "prices.json"), join(folder, "prices.json"));
  return {
    folder,
    environment: { ...withTollgate(folder, surroundings()), TOLLGATE_ADMIN_TOKEN: gateway.adminToken },
    replacements: [
      [/https:\/\/api\.moonshot\.ai|http:\/\/127\.0\.0\.1:8000/g, gateway.simulatorUrl],
      [/http:\/\/127\.0\.0\.1:8081/g, gateway.adminUrl],
      [/http:\/\/127\.0\.0\.1:8080/g, gateway.publicUrl],
      ...KEYS,
    ],
    packageFolders: [],
    printedBefore: `${gateway.keys.credit}\n${gateway.keys.token_budget}\n`,
    close: async () => void (await gateway.stop()),
  };
}

async function aDevAndBills(): Promise<Stage> {
  const dev = await aRunningDev();
  cpSync(join(ROOT, "examples/reconcile"), join(dev.folder, "bills"), { recursive: true });
  return dev;
}

async function aRunningDevAndStripe(): Promise<Stage | NoStage> {
  const mock = await buildStripeMock();
  if (mock.folder === null) return { missing: mock.missing };
  const [dev, stripe, port] = [await aRunningDev(), await startStripeMock(mock.folder), await freePort()];
  symlinkSync(ROOT, join(dev.folder, "tollgate"));
  const { TOLLGATE_ADMIN_TOKEN: adminToken = "", ...environment } = dev.environment;
  return {
    ...dev,
    environment: { ...environment, STRIPE_API_URL: stripe.url, PORT: String(port) },
    replacements: [
      [/127\.0\.0\.1:8090/g, `127.0.0.1:${port}`],
      [/sk_test_…/g, STRIPE_KEY],
      [/whsec_…/g, WEBHOOK_SECRET],
      [/admin-token/g, adminToken],
      ...dev.replacements,
    ],
    close: async () => {
      await stripe.stop();
      await dev.close();
    },
  };
}
