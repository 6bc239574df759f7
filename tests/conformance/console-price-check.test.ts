import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operate } from "../contract/operator.ts";
import { type ConsoleStage, noConsole, startConsoleStage } from "../support/console-stage.ts";
import { rememberSecrets } from "../support/gateway-process.ts";

const EMAIL = "ann@acme.example";
const PASSWORD = "a phrase for the first owner";
const listed = (input: number) => ({
  litellm_provider: "acme-inc",
  mode: "chat",
  input_cost_per_token: input,
  output_cost_per_token: 10e-6,
  max_input_tokens: 128_000,
  max_output_tokens: 4_096,
});
const LIST = JSON.stringify({ large: listed(4e-6), small: listed(3e-6), other: listed(3e-6) });

let list: Server;
let stage: ConsoleStage;
let database: Client;

const open = (path: string) => stage.page.goto(`${stage.adminUrl}/console${path}`);
const press = (name: string | RegExp) => stage.page.getByRole("button", { name, exact: true }).click();
const seen = (text: string | RegExp) => stage.page.getByText(text).first().waitFor();
const overflow = () =>
  stage.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
/** As if the time of the next check had come. */
const checkNow = () => database.query("update price_check set taken_at = taken_at - interval '2 days'");

beforeAll(async () => {
  if (noConsole !== null) return;
  list = createServer((_, response) => void response.end(LIST));
  await new Promise<void>((resolve) => void list.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(list.address() as AddressInfo).port}/prices.json`;
  stage = await startConsoleStage({
    TOLLGATE_PRICE_CHECK_LIST: url,
    TOLLGATE_PRICE_CHECK_PROVIDERS: "acme=acme-inc*2",
  });
  database = new Client({ connectionString: stage.databaseUrl });
  await database.connect();
  const secret = "sk-0123456789abcdef";
  rememberSecrets([secret]);
  const provider = { base_url: `${stage.simulator.url}/v1`, credential: "stored", secret };
  await operate(stage, "POST /providers", { name: "acme", ...provider });
  const terms = { context_window: 128_000, max_output_tokens: 4_096 };
  for (const id of ["large", "small"]) {
    await operate(stage, "POST /models", {
      id,
      ...terms,
      price: { input: "6", output: "20" },
      route: { provider: "acme", upstream_model: "sim", format: "chat" },
    });
  }
  await open("/");
  await stage.page.getByLabel("Setup token").fill(stage.setupToken);
  await stage.page.getByLabel("Email", { exact: true }).fill(EMAIL);
  await stage.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press("Make me the owner");
  await stage.page.waitForURL(/\/console\/first-run$/);
}, 240_000);
afterAll(async () => {
  if (noConsole !== null) return;
  await database.end();
  await stage.stop();
  list.close();
}, 60_000);

describe.skipIf(noConsole)("a checked price list in the console", { timeout: 240_000 }, () => {
  test("what differs is on the page of models, and is compared and applied from there", async () => {
    await checkNow();
    type Told = { check: { found: { models: number } | null } | null };
    await expect
      .poll(async () => (await operate<Told>(stage, "GET /price-check")).check?.found?.models, { timeout: 120_000 })
      .toBe(1);

    const { page } = stage;
    await open("/models");
    await seen(/has other prices or limits for 1 model/);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow()).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("link", { name: "acme: look at 1 model" }).click();
    expect(await page.getByLabel("Multiply prices by").inputValue()).toBe("2");
    expect(await page.getByLabel("Vendor in the list").inputValue()).toBe("acme-inc");
    await press("Compare with the catalogue");
    // The model that is not in the catalogue is an offer of the list, and no difference.
    await page.getByLabel("Apply other").uncheck();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow()).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await press("Apply 1 change");
    await press("Apply");
    await seen("The changes are written");

    const { price } = await operate<{ price: { input: string } }>(stage, "GET /models/large");
    expect(price.input).toBe("8");
    await seen(/before a price was changed; the next check comes within minutes/);
    await checkNow();
    await expect
      .poll(async () => (await operate<Told>(stage, "GET /price-check")).check?.found?.models, { timeout: 120_000 })
      .toBe(0);
    await open("/models");
    await page.getByRole("table", { name: "Models" }).waitFor();
    expect(await page.getByLabel("Price list").count()).toBe(0);
  });

  test("the tiers and regions of a key and of an account are limited in their forms", async () => {
    const { page } = stage;
    const { account } = await operate<{ account: { id: string } }>(stage, "POST /accounts", { name: "Acme" });
    const { key } = await operate<{ key: { id: string } }>(stage, "POST /keys", {
      mode: "credit",
      account: account.id,
    });
    await open(`/accounts/${account.id}`);
    await press("More");
    await page.getByRole("menuitem", { name: "Service tiers" }).click();
    await page.getByRole("textbox", { name: "Service tiers" }).fill("flex, priority");
    await press("Save");
    await seen("service tiers: flex, priority");
    await press("More");
    await page.getByRole("menuitem", { name: "Regions" }).click();
    await page.getByRole("textbox", { name: "Regions" }).fill("eu, ch");
    await press("Save");
    await seen("regions: ch, eu");

    await open(`/keys/${key.id}`);
    await seen("all that are sold; its account allows flex, priority");
    await press("Change");
    await page.getByRole("textbox", { name: "Service tiers" }).fill("none");
    await page.getByRole("textbox", { name: "Regions" }).fill("eu");
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow()).toBe(0);
    await press("Save");
    await seen("the usual one only; its account allows flex, priority");
    await seen("eu; its account allows ch, eu");
    await page.setViewportSize({ width: 1440, height: 900 });

    type Shown = { key: { tiers: string[]; account_tiers: string[]; regions: string[] } };
    const shown = await operate<Shown>(stage, `GET /keys/${key.id}`);
    expect(shown.key).toMatchObject({ tiers: [], account_tiers: ["flex", "priority"], regions: ["eu"] });
    expect(stage.complaints()).toEqual([]);
  });
});
