import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operate } from "../contract/operator.ts";
import { type ConsoleStage, noConsole, startConsoleStage } from "../support/console-stage.ts";
import { rememberSecrets } from "../support/gateway-process.ts";
import { openChatStream, readAll } from "../support/sse-client.ts";

const EMAIL = "ann@acme.example";
const PASSWORD = "a phrase for the first owner";
const FAST = "sim/sim+tokens=20";
const SLOW = "sim-slow";
/** What LiteLLM's file says of them. */
const PRICES = JSON.stringify({
  [FAST]: listed("sim", 1e-6, 4e-6),
  "sim/sim+tokens=5": listed("sim", 5e-7, 2e-6),
  elsewhere: listed("other", 1e-6, 4e-6),
});

let stage: ConsoleStage;
/** The secret of the key that the first run made. */
let first = "";

function listed(vendor: string, input: number, output: number): object {
  return {
    litellm_provider: vendor,
    mode: "chat",
    max_input_tokens: 128_000,
    max_output_tokens: 4_096,
    input_cost_per_token: input,
    output_cost_per_token: output,
  };
}

/** Less than the time for which the console shows an answer without reading it again. */
const SOON_MS = 8_000;

type Charged = { credits: string | null };
type Detail = { key_id: string; charged: Charged; input_tokens: number; output_tokens: number };

const open = (path: string) => stage.page.goto(`${stage.adminUrl}/console${path}`);
const press = (name: string | RegExp) => stage.page.getByRole("button", { name, exact: true }).click();
const seen = (text: string | RegExp) => stage.page.getByText(text).first().waitFor();
const chat = (secret: string, model = FAST) =>
  fetch(`${stage.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 50, messages: [{ role: "user", content: "Hello" }] }),
  });

/** Tab until what has this name has the focus, as somebody without a mouse does. */
async function tabTo(name: string): Promise<void> {
  const here = `(({ labels, innerText }) => (labels?.[0] ?? { innerText }).innerText.trim())(document.activeElement)`;
  for (let presses = 0; presses < 80; presses += 1) {
    await stage.page.keyboard.press("Tab");
    if ((await stage.page.evaluate<string>(here)) === name) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

/** The secret that stands on the page this once. */
async function revealed(): Promise<string> {
  const shown = stage.page.locator('button[aria-label^="Copy tgc_"]').first();
  await shown.waitFor();
  const secret = (await shown.innerText()).trim();
  rememberSecrets([secret]);
  return secret;
}

async function saveSecret(): Promise<void> {
  await stage.page.getByLabel("I have saved the secret").check();
  await press("Done");
}

/** The record of a request; it is written within a second or two. */
async function recorded(id: string): Promise<Detail> {
  let detail: Detail | null = null;
  await expect
    .poll(async () => (detail = await operate<Detail>(stage, `GET /requests/${id}`).catch(() => null)))
    .not.toBeNull();
  return detail as unknown as Detail;
}

beforeAll(async () => {
  if (noConsole === null) stage = await startConsoleStage();
}, 240_000);
afterAll(async () => {
  if (noConsole === null) await stage.stop();
}, 60_000);

describe.skipIf(noConsole)("the operators' console", { timeout: 180_000 }, () => {
  test("leads from the setup token to the first paid answer, and goes on where one left it", async () => {
    const { page } = stage;
    await open("/");
    await page.getByLabel("Setup token").fill(stage.setupToken);
    await page.getByLabel("Email", { exact: true }).fill(EMAIL);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press("Make me the owner");
    await page.waitForURL(/\/console\/first-run$/);

    await page.getByLabel("Name", { exact: true }).fill("sim");
    await page.getByLabel("Base URL").fill(`${stage.simulator.url}/v1`);
    await page.getByLabel("API key of the provider").fill("sk-0123456789abcdef");
    await press("Add the provider");
    await page.getByLabel("A model, by its name at the provider").fill("sim+tokens=3");
    await press("Send a test call");
    await seen("it works");
    await press("Continue");

    const file = { name: "prices.json", mimeType: "application/json", buffer: Buffer.from(PRICES) };
    await page.getByLabel("Price list").setInputFiles(file);
    await page.getByLabel("Markup").fill("1.5");
    await press("Compare with the catalogue");
    const diff = page.getByRole("table", { name: "What would change" });
    expect(await diff.locator("tr", { hasText: FAST }).innerText()).toMatch(/new.*1\.5\s+6\s/s);
    await press("Write 2 models");
    await press("Add one model");
    await page.getByLabel("Id", { exact: true }).fill(SLOW);
    await page.getByLabel("Its name at the provider").fill("sim+tokens=400+pause=30");
    await page.getByLabel("Price of input").fill("1");
    await page.getByLabel("Price of output").fill("4");
    await page.getByLabel("Limit of output tokens").fill("4096");
    await page.getByLabel("Context window").fill("128000");
    await press("Add the model");
    await seen("3 published");

    await page.reload();
    await seen("3 of 5 steps done.");
    await page.getByLabel("Name of the account").fill("Acme");
    await press("Make the key");
    first = await revealed();
    await saveSecret();
    await seen("Waiting for the first request.");
    await page.locator("[role=status]", { hasText: /live/ }).first().waitFor();
    const answer = await chat(first);

    await seen("It works: the first request was answered.");
    await seen("The gateway is set up");
    expect(answer.status).toBe(200);
    const cost = answer.headers.get("x-tollgate-cost") ?? "";
    expect(Number(cost)).toBeGreaterThan(0);
    await page.locator(`[title="${cost} credits"]`).first().waitFor();
    expect(stage.complaints()).toEqual([]);
  });

  test("makes a key in four steps with the keyboard alone, and its secret works", async () => {
    const { page } = stage;
    const { keyboard } = page;
    await open("/keys");
    await page.getByRole("button", { name: "New key" }).waitFor();
    await tabTo("New key");
    await keyboard.press("Enter");
    await page.getByLabel("Account", { exact: true }).waitFor();
    await keyboard.type("Anna's laptop");
    await tabTo("Account");
    await keyboard.type("Acme");
    await page.getByRole("option", { name: "Acme" }).first().waitFor();
    for (const next of ["Continue", "Continue", "Continue", "Make the key"]) {
      await tabTo(next);
      await keyboard.press("Enter");
    }
    const secret = await revealed();
    await tabTo("I have saved the secret");
    await keyboard.press("Space");
    await tabTo("Done");
    await keyboard.press("Enter");
    await page.waitForURL(/\/console\/keys\/[\w-]{36}/);

    expect((await chat(secret)).status).toBe(200);
    await open("/keys");
    await page.getByRole("table", { name: "Keys" }).locator("tr", { hasText: "Anna's laptop" }).waitFor();
    expect(stage.complaints()).toEqual([]);
  });

  test("reads again what a change touches and nothing else, also on pages that were read before it", async () => {
    const { page } = stage;
    const go = (name: string) => page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
    const rowOf = (table: string, text: string) =>
      page.getByRole("table", { name: table }).locator("tr", { hasText: text });
    const reads = (path: string) =>
      page.evaluate<number>(
        `performance.getEntriesByType("resource").filter(({ name }) => new URL(name).pathname === ${JSON.stringify(path)}).length`,
      );
    await open("/keys");
    await rowOf("Keys", "first key").waitFor();
    await go("Accounts");
    await rowOf("Accounts", "Acme").click();
    await rowOf("Keys", "first key").waitFor();
    const session = await reads("/admin/v1/session");

    await press("New key");
    await page.getByLabel("Label").fill("Ben's laptop");
    for (const next of ["Continue", "Continue", "Continue", "Make the key"]) await press(next);
    await revealed();
    await saveSecret();

    await go("Keys");
    await rowOf("Keys", "Ben's laptop").waitFor({ timeout: SOON_MS });
    await go("Accounts");
    await rowOf("Accounts", "Acme").click();
    await rowOf("Keys", "Ben's laptop").waitFor({ timeout: SOON_MS });
    expect(await reads("/admin/v1/session")).toBe(session);
    expect(stage.complaints()).toEqual([]);
  });

  test("shows a stream while it runs, cancels it, and has the same charge in the inspector and the ledger", async () => {
    const { page } = stage;
    await open("/live");
    await seen("Nothing is in flight");
    const { response } = await openChatStream({ url: stage.url, key: first, model: SLOW });
    const id = String(response.headers["x-request-id"]);
    await page.getByRole("button", { name: `Cancel ${id}` }).click();
    await press("Cancel the request");
    const { text } = await readAll(response);
    expect(text).toContain("request_cancelled");
    const { charged, key_id: key, input_tokens: input, output_tokens: output } = await recorded(id);
    const credits = charged.credits ?? "";
    expect(Number(credits)).toBeGreaterThan(0);
    expect(output).toBeGreaterThanOrEqual(30);

    await page.getByRole("table", { name: "Ended just now" }).locator("tr", { hasText: "request_cancelled" }).click();
    await page.waitForURL(new RegExp(`/console/requests/${id}`));
    await page.locator(`dd[title="${credits} credits"]`).first().waitFor();
    await page.locator(`dd[title="${output} tokens"]`).first().waitFor();
    expect(await page.getByRole("table", { name: "Ledger rows" }).innerText()).toContain(`-${credits}`);

    await open(`/ledger?key=${key}`);
    const row = page.getByRole("table", { name: "Entries" }).locator("tr", { hasText: id });
    await row.locator(`[title="-${credits} credits"]`).first().waitFor();
    expect(await row.innerText()).toContain(`${input} / ${output}`);
    expect(stage.complaints()).toEqual([]);
  });

  test("limits a team, and the next request is rejected with that number", async () => {
    const { page } = stage;
    await open("/accounts");
    await page.getByRole("table").first().locator("tr", { hasText: "Acme" }).first().click();
    await press("More");
    await page.getByRole("menuitem", { name: "New account below it" }).click();
    await page.getByLabel("Name").fill("Search");
    await press("Make the account");
    await page.getByRole("table", { name: "Accounts below it" }).locator("tr", { hasText: "Search" }).click();
    await page.getByRole("heading", { name: /^Search/ }).waitFor();
    const { secret } = await operate<{ secret: string }>(stage, "POST /keys", {
      mode: "credit",
      account: "Acme/Search",
      label: "search",
    });
    rememberSecrets([secret]);
    expect((await chat(secret)).status).toBe(200);

    await press("Add a limit");
    await page.getByLabel("Amount").fill("0.000137");
    await press("Set the limit");
    await seen("limit of 0.000137 credits per month");
    const rejected = await chat(secret);
    const { error } = (await rejected.json()) as { error: { message: string } };

    expect(rejected.status).toBe(402);
    expect(error.message).toContain("0.000137");
    const id = rejected.headers.get("x-request-id") ?? "";
    await recorded(id);
    await open(`/requests/${id}`);
    await seen(error.message);
    expect(stage.complaints()).toEqual([]);
  });

  test("tops up an account, and rotates a key whose old secret stops at once", async () => {
    const { page } = stage;
    type Funds = { data: { name: string; id: string; counters: { available: string }[] }[] };
    const purse = async () => {
      const { data } = await operate<Funds>(stage, "GET /accounts?limit=10");
      const acme = data.find(({ name }) => name === "Acme");
      return { id: acme?.id, available: acme?.counters[0]?.available ?? "" };
    };
    const before = await purse();
    await open(`/accounts/${before.id}`);
    await press("Top up");
    await page.getByRole("textbox", { name: "Credits" }).fill("2.5");
    await page.getByLabel("Reference").fill("invoice-118");
    await press("Book the top-up");
    await expect.poll(async () => Number((await purse()).available)).toBeCloseTo(Number(before.available) + 2.5, 9);
    await page.getByRole("link", { name: "ledger", exact: true }).click();
    await page
      .getByRole("table", { name: "Entries" })
      .locator("tr", { hasText: "invoice-118" })
      .locator('[title="2.50 credits"]')
      .first()
      .waitFor();

    await open("/keys");
    await page.getByRole("table", { name: "Keys" }).locator("tr", { hasText: "first key" }).click();
    await press("Rotate");
    await page.getByLabel("The old secret").selectOption("0");
    await press("Make a new secret");
    const next = await revealed();
    await saveSecret();

    expect(next).not.toBe(first);
    expect([(await chat(next)).status, (await chat(first)).status]).toEqual([200, 401]);
    expect(stage.complaints()).toEqual([]);
  });
});
