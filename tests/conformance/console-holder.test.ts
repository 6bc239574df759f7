import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bearer } from "../contract/knock.ts";
import { rememberSecrets } from "../support/gateway-process.ts";
import { childEnvironment } from "../support/child-environment.ts";
import { type ChainedGateway, startChainedGateway } from "../support/chained-gateway.ts";
import {
  type Chromium,
  type ChromiumContext,
  type ChromiumPage,
  findChromium,
  showTheme,
  LOOKS,
} from "../support/chromium.ts";
import { holderClient } from "../support/holder-client.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { until } from "../support/until.ts";

const PATIENT_MS = 240_000;
const CONSOLE = join(import.meta.dirname, "../../console");
const AXE = join(CONSOLE, "node_modules/axe-core/axe.min.js");
const PAGES = ["", "usage", "requests", "errors", "models", "playground", "connect"] as const;

/** The names of `tollgate connect`, and what the page calls these clients. */
const CONNECTED = {
  "claude-code": "claude-code",
  codex: "codex",
  opencode: "opencode",
  cursor: "cursor",
  "openai-sdk": "openai-js",
  "anthropic-sdk": "anthropic-js",
};
/** Whatever stands for the key, and however a list is indented. */
const comparable = (text: string): string =>
  text.replaceAll(/"\$TOLLGATE_KEY"|tgc_\w*…/g, "KEY").replaceAll(/^ +/gm, "");

const { missing, launch } = await findChromium();
const unbuilt = existsSync(join(CONSOLE, "dist/holder.html")) ? null : "the console is not built: npm run console";
const why = missing ?? unbuilt ?? whyUnavailable("15");
if (why) process.stderr.write(`skipped: the key holder's console in a browser: ${why}\n`);

let stage: ChainedGateway;
let chromium: Chromium;
/** A page of somebody else on another port: the same site, to which a browser sends the cookie, and another origin. */
let stranger: Server;
const { read, newKey, chat } = holderClient(() => stage);

type Row = { request_id: string | null; kind: string; credits: string | null };
const rowsOf = async (secret: string): Promise<Row[]> =>
  (await read<{ data: Row[] }>("/me/ledger", bearer(secret))).data.filter(({ request_id: id }) => id !== null);

type SignedIn = { context: ChromiumContext; page: ChromiumPage; secret: string; problems: string[]; token: string };

/** A browser in which somebody signed in with a key. */
async function signedIn(options: { secret?: string; width?: number } = {}): Promise<SignedIn> {
  const secret = options.secret ?? (await newKey({ label: "Ann's laptop" })).secret;
  const context = await chromium.newContext({
    viewport: { width: options.width ?? 1440, height: 900 },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (said) => {
    const message = said as { type: () => string; text: () => string };
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  await page.goto(`${stage.gateway.publicUrl}/console`);
  await page.fill("input[name=key]", secret);
  await page.click("button[type=submit]");
  await page.locator("text=What can I still spend?").waitFor();
  const token = (await context.cookies()).find(({ name }) => name === "tollgate_key")?.value ?? "";
  rememberSecrets([token]);
  return { context, page, secret, problems, token };
}

const open = async (page: ChromiumPage, path: string): Promise<void> =>
  void (await page.goto(`${stage.gateway.publicUrl}/console/${path}`, { waitUntil: "networkidle" }));

/** Sends a prompt in the playground and waits for its record. */
async function play(page: ChromiumPage, { model, format }: { model: string; format: string }): Promise<void> {
  await open(page, `playground?use=${model}&format=${format}`);
  await page.fill("textarea[aria-label=Prompt]", "Hello");
  await page.click("button:has-text('Send')");
}

const charged = "section[aria-label=Result] dl > div:first-child dd";
const requestShown = async (page: ChromiumPage): Promise<string> =>
  page.locator("section[aria-label=Result] a").innerText();

describe.skipIf(why)("the key holder's console in a real browser", { timeout: PATIENT_MS }, () => {
  beforeAll(async () => {
    stage = await startChainedGateway({
      TOLLGATE_HOLDER_READS_PER_MINUTE: "100000",
      TOLLGATE_RECORDS_FLUSH_MS: "100",
    });
    const form = `<form id="f" method="post" enctype="text/plain" action="${stage.gateway.publicUrl}/me/v1/chat/completions">
      <input name='{"model":"chat","messages":[{"role":"user","content":"' value='"}]}'></form>`;
    stranger = createServer((_request, response) => void response.setHeader("content-type", "text/html").end(form));
    stranger.listen(0, "127.0.0.1");
    await once(stranger, "listening");
    chromium = await launch();
  }, PATIENT_MS);
  afterAll(async () => {
    if (why) return;
    await chromium.close();
    stranger.close();
    await stage.stop();
  }, PATIENT_MS);

  test("after signing in, neither the key nor the session is anywhere that a script can read", async () => {
    const { context, page, secret, token } = await signedIn();
    const cookie = (await context.cookies()).find(({ name }) => name === "tollgate_key");
    await play(page, { model: "chat", format: "chat" });
    await page.locator(`${charged}[title]`).waitFor();
    const reachable = await page.evaluate<string>(`(async () => JSON.stringify([
      document.cookie, Object.entries(localStorage), Object.entries(sessionStorage), await indexedDB.databases(),
      await caches.keys().catch(() => []), document.documentElement.outerHTML, location.href, history.state, window.name,
      performance.getEntriesByType("resource").map(({ name }) => name),
    ]))()`);

    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
    expect(token).toMatch(/^tgs_/);
    for (const kept of [secret.slice(12), token.slice(8)]) expect(reachable).not.toContain(kept);
    await context.close();
  });

  test("the page of the key shows what GET /me has", async () => {
    const { context, page, secret } = await signedIn();
    const { limits, explanation } = await read<{ limits: { available: string }[]; explanation: string }>(
      "/me",
      bearer(secret),
    );
    const text = await page.locator("main").innerText();

    expect(text).toContain(explanation);
    expect(await page.locator("dd.text-hero").getAttribute("title")).toBe(`${limits[0]?.available}.00 credits`);
    await context.close();
  });

  test.each([
    ["chat", "chat"],
    ["responses", "responses"],
    ["messages", "messages"],
    // Translated on the way: the format of the caller is not that of the provider.
    ["chat", "messages"],
  ])("the playground streams model %s in the format %s, and shows the charge of the ledger", async (model, format) => {
    const { context, page, secret, problems } = await signedIn();
    await play(page, { model, format });
    await page.locator(`${charged}[title]`).waitFor();
    const [row, ...others] = await rowsOf(secret);

    expect(others).toEqual([]);
    expect(row).toMatchObject({ request_id: await requestShown(page), kind: "completed" });
    expect(`-${((await page.locator(charged).first().getAttribute("title")) ?? "").replace(" credits", "")}`).toBe(
      row?.credits,
    );
    const events = await page.locator("ol[aria-label='Raw events']").innerText();
    expect(events).toContain(
      format === "chat" ? "[DONE]" : format === "responses" ? "response.completed" : "message_stop",
    );
    expect(problems).toEqual([]);
    await context.close();
  });

  test("the stop button stops the stream, and what it says was charged is the row of the ledger", async () => {
    const { context, page, secret, problems } = await signedIn();
    await play(page, { model: "endless-chat", format: "chat" });
    await page.locator("ol[aria-label='Raw events'] li:nth-child(20)").waitFor();
    await page.click("button:has-text('Stop')");
    await page.locator("text=Charged:").waitFor();
    const said = await page.locator("text=Charged:").innerText();
    const [row, ...others] = await rowsOf(secret);

    expect(others).toEqual([]);
    expect(row).toMatchObject({ request_id: await requestShown(page), kind: "client_gone" });
    expect(`-${/Charged: ([\d.]+) credits/.exec(said)?.[1]}`).toBe(row?.credits);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("a page of another origin can't spend with the session, though the browser sends its cookie", async () => {
    const { context, page, secret } = await signedIn();
    await page.goto(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}`);
    const url = `${stage.gateway.publicUrl}/me/v1/chat/completions`;
    const body = JSON.stringify({ model: "chat", messages: [{ role: "user", content: "Hello" }] });
    const sent = await page.evaluate<string>(
      `fetch(${JSON.stringify(url)}, { method: "POST", mode: "no-cors", credentials: "include", body: ${JSON.stringify(body)} }).then((r) => r.type, (e) => e.name)`,
    );
    const [response] = await Promise.all([
      page.waitForNavigation(),
      page.evaluate("document.getElementById('f').submit()"),
    ]);

    expect(["opaque", "TypeError"]).toContain(sent);
    expect(response?.status()).toBe(400);
    expect(await rowsOf(secret)).toEqual([]);
    await context.close();
  });

  test("a request is found in the list, with its charge, and an error with its fix", async () => {
    const { context, page, secret, problems } = await signedIn();
    const [fine, failed] = [await chat(secret), await chat(secret, "no-such-model")];
    const id = String(fine.headers["x-request-id"]);
    await until(
      async () => (await read<{ data: object[] }>("/me/requests", bearer(secret))).data.length === 2,
      "both are recorded",
    );
    await until(
      async () => (await read<{ data: object[] }>("/me/errors", bearer(secret))).data.length === 1,
      "the error is counted",
    );
    await open(page, "requests");
    await page.click(`a[href*='${id}']`);
    await page.locator("text=How was the charge computed?").waitFor();
    const inspected = await page.locator("main").innerText();
    await open(page, "errors");
    const errors = await page.locator("main").innerText();

    expect(inspected).toContain((await rowsOf(secret))[0]?.credits?.slice(1));
    expect(errors).toContain("model_not_found");
    expect(errors).toContain(String(failed.headers["x-request-id"]));
    expect(problems).toEqual([]);
    await context.close();
  });

  test("the settings of a client have the base URL of the key in them, and the test sends one request", async () => {
    const { secret } = await newKey({ mode: "token_budget", credit: undefined, budget: 10_000 });
    const { context, page, problems } = await signedIn({ secret });
    await open(page, "connect?client=claude-code&use=messages");
    const settings = await page.locator("pre").innerText();
    await page.click("button:has-text('Test')");
    await page.locator("text=it works").waitFor();

    expect(settings).toContain(`ANTHROPIC_BASE_URL=${stage.gateway.publicUrl}/token\n`);
    expect(settings).toContain("ANTHROPIC_MODEL=messages\n");
    expect((await rowsOf(secret)).length).toBe(1);
    expect(problems).toEqual([]);
    await context.close();
  });

  test("the settings of each client are those that `tollgate connect` prints", async () => {
    const { context, page, secret } = await signedIn();
    const env = { ...childEnvironment(), TOLLGATE_KEY: secret };

    for (const [name, id] of Object.entries(CONNECTED)) {
      const words = ["connect", name, "--url", stage.gateway.publicUrl, "--model", "chat", "--check", "--json"];
      const { stdout } = await runTollgate(words, { cwd: tmpdir(), env });
      const settings = comparable((JSON.parse(stdout) as { settings: string }).settings);
      await open(page, `connect?client=${id}&use=chat`);
      await page.locator("main pre").first().waitFor();
      const shown = await page.evaluate<string[]>(
        "Array.from(document.querySelectorAll('main pre'), ({ innerText }) => innerText)",
      );

      if (name.endsWith("-sdk")) expect(shown.map(comparable)).toContain(settings);
      else for (const text of shown) expect(settings).toContain(comparable(text));
    }
    await context.close();
  });

  test.each(LOOKS)(
    "every page fits $width pixels and has no violation that axe finds in $themes",
    async ({ width, themes }) => {
      const { context, page, secret, problems } = await signedIn({ width });
      await chat(secret);
      const found: string[] = [];
      for (const path of PAGES) {
        await open(page, path);
        await page.evaluate(`${readFileSync(AXE, "utf8")}; 0`);
        const papers = new Set<string>();
        for (const theme of themes) {
          papers.add(await showTheme(page, theme));
          const over = await page.evaluate<number>(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth",
          );
          if (over > 0) found.push(`/${path} is ${over} px too wide`);
          const violations = await page.evaluate<{ id: string; nodes: string[] }[]>(
            "axe.run().then((r) => r.violations.map(({ id, nodes }) => ({ id, nodes: nodes.map((n) => n.html) })))",
          );
          found.push(
            ...violations.map(({ id, nodes }) => `/${path} ${theme}: ${id}: ${nodes.join(" ").slice(0, 300)}`),
          );
        }
        expect(papers.size).toBe(themes.length);
      }

      expect(found).toEqual([]);
      expect(problems).toEqual([]);
      await context.close();
    },
  );
});
