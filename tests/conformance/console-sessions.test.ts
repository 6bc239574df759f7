import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operate } from "../contract/operator.ts";
import { type ChainedGateway, startChainedGateway } from "../support/chained-gateway.ts";
import {
  type Chromium,
  type ChromiumContext,
  type ChromiumPage,
  findChromium,
  showTheme,
  LOOKS,
  type Theme,
} from "../support/chromium.ts";
import { rememberSecrets } from "../support/gateway-process.ts";
import { holderClient } from "../support/holder-client.ts";
import { type OidcServer, signInSettings, startOidc } from "../support/oidc/start-oidc.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { signIns } from "../support/signed-in.ts";

const PATIENT_MS = 240_000;
const CONSOLE = join(import.meta.dirname, "../../console");
const AXE = join(CONSOLE, "node_modules/axe-core/axe.min.js");
const OWNER = { email: "owner@acme.example", password: "a long enough password" };

const { missing, launch } = await findChromium();
const unbuilt = existsSync(join(CONSOLE, "dist/holder.html")) ? null : "the console is not built: npm run console";
const why = missing ?? unbuilt ?? whyUnavailable("15");
if (why) process.stderr.write(`skipped: client sessions in the consoles: ${why}\n`);

let oidc: OidcServer;
let stage: ChainedGateway;
let people: ReturnType<typeof signIns>;
let chromium: Chromium;
const { chat } = holderClient(() => stage);

type Looks = { width?: number; themes?: readonly Theme[] };
type Opened = { context: ChromiumContext; page: ChromiumPage; problems: string[] };

async function openPage({ width = 1440 }: Looks = {}): Promise<Opened> {
  const context = await chromium.newContext({
    viewport: { width, height: 900 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (said) => {
    const message = said as { type: () => string; text: () => string; location: () => { url: string } };
    const isOurs = message.location().url.startsWith(stage.gateway.publicUrl);
    if (isOurs && ["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  return { context, page, problems };
}

/** Somebody whom the identity provider knows, with clients that they are signed in with. */
async function somebody(login: string, clients: readonly string[]) {
  oidc.users.set(login, { email: `${login}@acme.example`, name: `${login} Anders`, groups: ["search"] });
  const opened = await openPage();
  await signIn(opened.page, login);
  const [row] = await stage.query<{ id: string; account: string }>(
    "select id, account_id as account from person where email = $1",
    [`${login}@acme.example`],
  );
  const { id = "", account = "" } = row ?? {};
  const tokens = [];
  for (const client of clients) tokens.push(await people.begin(id, client));
  await opened.context.close();
  return { id, account, tokens };
}

/** On the page of the provider, as people do. */
async function signIn(page: ChromiumPage, login: string, path = ""): Promise<void> {
  await page.goto(`${stage.gateway.publicUrl}/console${path}`);
  await page.getByRole("link", { name: "Continue with single sign-on" }).click();
  await page.fill("input[name=login]", login);
  await page.fill("input[name=password]", "any");
  await page.click("button[type=submit]");
  await page.waitForURL(`${stage.gateway.publicUrl}/console${path}`);
  await page.locator("#content").waitFor();
}

/** What is wrong with the page in each theme. */
async function judge(page: ChromiumPage, themes: readonly Theme[]): Promise<string[]> {
  const root = "document.documentElement";
  const found: string[] = [];
  const papers = new Set<string>();
  await page.evaluate(`${readFileSync(AXE, "utf8")}; 0`);
  for (const theme of themes) {
    papers.add(await showTheme(page, theme));
    const over = await page.evaluate<number>(`${root}.scrollWidth - ${root}.clientWidth`);
    const violations = await page.evaluate<string[]>(
      "axe.run().then((r) => r.violations.map(({ id, nodes }) => id + ': ' + nodes.map((n) => n.html).join(' ').slice(0, 300)))",
    );
    found.push(...[...violations, ...(over > 0 ? [`is ${over} px too wide`] : [])].map((text) => `${theme}: ${text}`));
  }
  if (papers.size < themes.length) found.push("looks alike in all themes");
  return found.map((text) => `${page.url()} ${text}`);
}

const press = (page: ChromiumPage, name: string | RegExp): Promise<void> => page.getByRole("button", { name }).click();
const inDialog = (page: ChromiumPage, name: string): Promise<void> =>
  page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

/** Signs an operator in. */
async function operator(page: ChromiumPage): Promise<void> {
  await page.goto(`${stage.gateway.adminUrl}/console`);
  await page.fill("input[name=email]", OWNER.email);
  await page.fill("input[name=password]", OWNER.password);
  await page.click("button[type=submit]");
  await page.locator("#content").waitFor();
}

describe.skipIf(why)("client sessions in the consoles", { timeout: PATIENT_MS }, () => {
  beforeAll(async () => {
    // The provider is another site than the gateway, as it is everywhere.
    oidc = await startOidc({}, { host: "localhost" });
    stage = await startChainedGateway({
      ...signInSettings(oidc, "search -> member of Acme/Search with 50 per month"),
      TOLLGATE_HOLDER_READS_PER_MINUTE: "100000",
      TOLLGATE_RECORDS_FLUSH_MS: "100",
    });
    rememberSecrets([oidc.clientSecret, OWNER.password]);
    oidc.allowRedirect(`${stage.gateway.publicUrl}/oauth/callback`);
    people = signIns(stage);
    await operate(stage.gateway, "POST /accounts", { name: "Acme", kind: "organisation" });
    await operate(stage.gateway, "POST /accounts", { name: "Search", kind: "team", parent: "Acme" });
    await operate(stage.gateway, "POST /accounts/Acme/topups", { amount: "100", reference: "first" });
    await operate(stage.gateway, "POST /people", { ...OWNER, name: "Owner", grants: [{ role: "owner" }] });
    chromium = await launch();
  }, PATIENT_MS);
  afterAll(async () => {
    if (why) return;
    await chromium.close();
    rememberSecrets(oidc.issued);
    await stage.stop();
    await oidc.close();
  }, PATIENT_MS);

  test("a person without a key signs in, sees their account and limits, and no script can read the session", async () => {
    const { tokens } = await somebody("ann", ["Claude Code 2.1.325"]);
    expect((await chat(tokens[0]?.accessToken ?? "")).status).toBe(200);
    const { context, page, problems } = await openPage();

    await signIn(page, "ann");

    const text = async (): Promise<string> => page.locator("main").innerText();
    await page.getByText("Who is signed in?").waitFor();
    expect(await text()).toContain("Acme/Search/ann@acme.example");
    expect(await text()).toMatch(/ann@acme\.example: limit in credits per month/);
    const cookies = await context.cookies();
    const session = cookies.find(({ name }) => name === "tollgate_key");
    rememberSecrets(cookies.map(({ value }) => value));
    expect(session).toMatchObject({ httpOnly: true, sameSite: "Strict" });
    expect(cookies.some(({ name }) => name === "tollgate_person")).toBe(false);
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a person signs one client out, then all others, then everywhere, and is told what happens", async () => {
    const { tokens } = await somebody("bea", ["Claude Code 2.1.325", "Codex", "Tollgate command line 1.0.0"]);
    const [claude, codex, command] = tokens.map(({ accessToken }) => accessToken);
    const { context, page, problems } = await openPage();
    await signIn(page, "bea", "/sessions");
    const statusOf = async (token = ""): Promise<number> => (await chat(token)).status;

    await press(page, /^Sign out Codex/);
    expect(await page.getByRole("dialog").innerText()).toMatch(/running are cut off now/);
    await inDialog(page, "Sign out");
    await page.getByText("Codex is signed out").waitFor();
    expect(await Promise.all([claude, codex, command].map(statusOf))).toEqual([200, 401, 200]);

    await press(page, "Sign out all others");
    await inDialog(page, "Sign out the others");
    await page.getByText("Your other sessions are signed out").waitFor();
    expect(await Promise.all([claude, command].map(statusOf))).toEqual([401, 401]);

    const [row] = await stage.query<{ id: string }>("select id from person where email = 'bea@acme.example'");
    const last = await people.begin(row?.id ?? "", "Codex");
    await page.reload();
    await press(page, "Sign out everywhere");
    await inDialog(page, "Sign out everywhere");
    await page.getByRole("link", { name: "Continue with single sign-on" }).waitFor();
    expect(await statusOf(last.accessToken)).toBe(401);
    expect((await context.cookies()).some(({ name }) => name === "tollgate_key")).toBe(false);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("an operator sees the clients of a person and of all, and ends one and all", async () => {
    const { id, tokens } = await somebody("cem", ["Claude Code 2.1.325", "Codex"]);
    const { context, page, problems } = await openPage();
    await operator(page);

    await page.goto(`${stage.gateway.adminUrl}/console/sessions?find=cem`);
    await page.getByText("Codex").first().waitFor();
    await press(page, /^End the session of Codex/);
    expect(await page.getByRole("dialog").innerText()).toMatch(/running streams are cut/);
    await inDialog(page, "End the session");
    await page.getByText("The session has ended").waitFor();
    expect((await chat(tokens[1]?.accessToken ?? "")).status).toBe(401);

    await page.goto(`${stage.gateway.adminUrl}/console/people/${id}`);
    await press(page, "End all");
    await inDialog(page, "End all client sessions");
    await page.getByText("They are signed in with no client").waitFor();
    expect((await chat(tokens[0]?.accessToken ?? "")).status).toBe(401);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a session is no key: its page has neither secrets nor money of its own, and no list of keys has it", async () => {
    const { tokens } = await somebody("dan", ["Claude Code 2.1.325"]);
    const { context, page } = await openPage();
    await operator(page);

    await page.goto(`${stage.gateway.adminUrl}/console/keys/${tokens[0]?.sessionId ?? ""}`);
    await page.getByRole("button", { name: "End the session" }).waitFor();

    const text = await page.locator("main").innerText();
    expect(text).toContain("client session");
    expect(text).not.toMatch(/Rotate|Top up|Which secrets/);
    await page.goto(`${stage.gateway.adminUrl}/console/keys`, { waitUntil: "networkidle" });
    expect(await page.locator("main").innerText()).not.toContain("dan@acme.example");
    await context.close();
  });

  test.each(LOOKS)(
    "pages with many sessions fit $width pixels and have no violation that axe finds in $themes",
    async (looks) => {
      const names = Array.from({ length: 30 }, (_, nth) =>
        nth === 3 ? "a-client-with-a-very-long-name-that-somebody-chose-for-themselves" : `Claude Code 2.1.${nth}`,
      );
      const login = `eve${looks.width}`;
      const { id, account, tokens } = await somebody(login, names);
      const { context, page, problems } = await openPage(looks);
      const found: string[] = [];
      const look = async (url: string): Promise<void> => {
        await page.goto(url, { waitUntil: "networkidle" });
        found.push(...(await judge(page, looks.themes)));
      };

      await look(`${stage.gateway.publicUrl}/console`);
      await signIn(page, login);
      for (const path of ["", "/connect", "/sessions"]) await look(`${stage.gateway.publicUrl}/console${path}`);
      await press(page, "Sign out everywhere");
      found.push(...(await judge(page, looks.themes)));
      await operator(page);
      const session = tokens[0]?.sessionId ?? "";
      for (const path of ["/sessions", `/people/${id}`, `/accounts/${account}`, `/keys/${session}`])
        await look(`${stage.gateway.adminUrl}/console${path}`);

      expect(found).toEqual([]);
      expect(problems).toEqual([]);
      await context.close();
    },
  );
});
