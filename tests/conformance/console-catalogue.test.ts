import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operate } from "../contract/operator.ts";
import { type ConsoleStage, noConsole, startConsoleStage } from "../support/console-stage.ts";
import { rememberSecrets } from "../support/gateway-process.ts";

const EMAIL = "ann@acme.example";
const PASSWORD = "a phrase for the first owner";
const CREDENTIAL = "sk-0123456789abcdef";
const MODEL = "acme/large";

let stage: ConsoleStage;
let secret = "";

type Tariff = { version: number; input: string; output: string };
type Model = { published: boolean; price: Tariff; upcoming_prices: Tariff[]; routes: { provider: string }[] };
type Health = { provider: string; breaker: string; failed: number; changes: { state: string }[] };
type Priced = { price_version: number; charged: { credits: string } };

const open = (path: string) => stage.page.goto(`${stage.adminUrl}/console${path}`);
const press = (name: string | RegExp) => stage.page.getByRole("button", { name, exact: true }).click();
const seen = (text: string | RegExp) => stage.page.getByText(text).first().waitFor();
const table = (name: string) => stage.page.getByRole("table", { name });
const model = (id: string) => operate<Model>(stage, `GET /models/${encodeURIComponent(id)}`);

async function chat(id: string): Promise<string> {
  const answer = await fetch(`${stage.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: id, max_tokens: 50, messages: [{ role: "user", content: "Hello" }] }),
  });
  await answer.text();
  return answer.headers.get("x-request-id") ?? "";
}

/** The record of a request; it is written within a second or two. */
async function recorded(id: string): Promise<Priced> {
  let found: Priced | null = null;
  await expect
    .poll(async () => (found = await operate<Priced>(stage, `GET /requests/${id}`).catch(() => null)))
    .not.toBeNull();
  return found as unknown as Priced;
}

beforeAll(async () => {
  if (noConsole !== null) return;
  stage = await startConsoleStage();
  rememberSecrets([CREDENTIAL]);
  const provider = { base_url: `${stage.simulator.url}/v1`, credential: "stored", secret: CREDENTIAL };
  for (const name of ["acme", "bolt"]) await operate(stage, "POST /providers", { name, ...provider });
  const route = (name: string, upstream: string) => ({ provider: name, upstream_model: upstream, format: "chat" });
  const terms = { context_window: 128_000, max_output_tokens: 4_096, price: { input: "2.5", output: "10" } };
  await operate(stage, "POST /models", { id: MODEL, ...terms, route: route("acme", "sim+tokens=20") });
  await operate(stage, "POST /models", { id: MODEL, route: route("bolt", "sim+tokens=5") });
  await operate(stage, "POST /models", { id: "down", ...terms, route: route("acme", "sim+fail=500") });
  secret = (await operate<{ secret: string }>(stage, "POST /keys", { mode: "credit", credit: "100" })).secret;
  rememberSecrets([secret]);
  await open("/");
  await stage.page.getByLabel("Setup token").fill(stage.setupToken);
  await stage.page.getByLabel("Email", { exact: true }).fill(EMAIL);
  await stage.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press("Make me the owner");
  await stage.page.waitForURL(/\/console\/first-run$/);
}, 240_000);
afterAll(async () => {
  if (noConsole === null) await stage.stop();
}, 60_000);

describe.skipIf(noConsole)("the catalogue in the console", { timeout: 180_000 }, () => {
  test("a price is seen before it is booked, and the next request is charged by it", async () => {
    const { page } = stage;
    await open("/models");
    await table("Models").locator("tr", { hasText: MODEL }).first().click();
    await page.waitForURL(/\/models\/acme%2Flarge/);
    await press("Change the price");
    await page.getByLabel("Output", { exact: true }).fill("12.5");
    const preview = page.getByRole("region", { name: "Preview" });
    await expect.poll(() => preview.innerText()).toMatch(/Output.*10\.00\s+12\.50\s+↑.*25\.0 %/s);
    expect(await preview.innerText()).toContain("0.0375 credits");
    expect((await model(MODEL)).price).toMatchObject({ version: 1, output: "10" });
    await page.locator("form").getByRole("button", { name: "Change the price" }).click();
    await seen("The price is changed");

    expect((await model(MODEL)).price).toMatchObject({ version: 2, input: "2.5", output: "12.5" });
    await expect.poll(() => table("Price versions").innerText()).toMatch(/2\s.*in force.*12\.50.*1\s.*past.*10\.00/s);
    expect(await recorded(await chat(MODEL))).toMatchObject({ price_version: 2 });
    expect(stage.complaints()).toEqual([]);
  });

  test("an alarm is accepted with a reason and an end, shown with who accepted it, and withdrawn", async () => {
    const { page } = stage;
    const path = `GET /models/${encodeURIComponent(MODEL)}`;
    const accepted = async () => (await operate<{ accepted_alarms: object[] }>(stage, path)).accepted_alarms;
    await open("/models/acme%2Flarge");
    const card = page.getByRole("region", { name: "Which money alarms are accepted?" });
    await press("Accept a kind");
    await page.getByLabel("Kind").selectOption("overrun");
    await page.getByLabel("Reason").fill("it ignores its limit");
    await page.getByLabel("Until the end of").fill("2090-01-31");
    await press("Accept");
    await seen("The alarm is accepted");

    await expect.poll(() => card.innerText()).toMatch(/overrun.*accepted.*it ignores its limit.*by ann@acme\.example/s);
    const until = "2090-01-31T23:59:59.000Z";
    expect(await accepted()).toMatchObject([{ kind: "overrun", accepted_by: EMAIL, until }]);
    await card.getByRole("button", { name: "Withdraw" }).click();
    await page.locator("form").getByRole("button", { name: "Withdraw" }).click();
    await seen("The model alerts again");
    await expect.poll(() => card.innerText()).toContain("None: every kind alerts.");
    expect(await accepted()).toEqual([]);
    expect(stage.complaints()).toEqual([]);
  });

  test("routes are ordered, tested and removed", async () => {
    const { page } = stage;
    await open("/models/acme%2Flarge");
    const bolt = () => table("Routes").locator("tr", { hasText: "bolt" }).first();
    await bolt().getByRole("button", { name: "Test this route" }).click();
    await press("Make the call");
    await seen("works");
    await press("Close");
    await bolt().getByRole("button", { name: "Change its order" }).click();
    await page.getByLabel("Priority").fill("5");
    await page.getByLabel("Region").fill("eu");
    await press("Save");
    await seen("The order is changed");
    await expect.poll(async () => bolt().innerText()).toMatch(/^5\s/);
    expect(await bolt().innerText()).toMatch(/\beu\b/);
    await bolt().getByRole("button", { name: "Remove this route" }).click();
    await press("Remove the route");
    await seen("The route is removed");

    expect((await model(MODEL)).routes.map(({ provider }) => provider)).toEqual(["acme"]);
    await press("Unpublish");
    await page.locator("form").getByRole("button", { name: "Unpublish" }).click();
    await seen("The model is unpublished");
    expect((await model(MODEL)).published).toBe(false);
    expect(stage.complaints()).toEqual([]);
  });

  test("a price list is compared before it is applied", async () => {
    const { page } = stage;
    const listed = (vendor: string) =>
      `{"litellm_provider": "${vendor}", "mode": "chat", "max_input_tokens": 1000, "max_output_tokens": 100, "input_cost_per_token": 1.25e-06, "output_cost_per_token": 5e-06}`;
    const free = listed("acme").replaceAll("1.25e-06", "0").replaceAll("5e-06", "0");
    const list = `{"acme/small": ${listed("acme")}, "acme/large": ${listed("acme")}, "acme/gift": ${free}, "elsewhere": ${listed("other")}}`;
    await open("/models/import");
    await page
      .getByLabel("File")
      .setInputFiles({ name: "prices.json", mimeType: "application/json", buffer: Buffer.from(list) });
    await page.getByLabel("Multiply prices by").fill("1.1");
    await press("Compare with the catalogue");
    const diff = await table("What would change").locator("tr", { hasText: "acme/small" }).first().innerText();

    expect(await table("Left out").innerText()).toMatch(/acme\/gift\s+priced at 0/);
    expect(diff).toMatch(/new.*1\.375\s+5\.5\s/s);
    await expect(model("acme/small")).rejects.toThrow();
    await page.getByLabel("Apply acme/large").click();
    await press("Apply 1 change");
    await press("Apply");
    await seen("The changes are written");
    expect(await model("acme/small")).toMatchObject({ published: false, price: { input: "1.375", output: "5.5" } });
    expect((await model(MODEL)).price).toMatchObject({ input: "2.5" });
    expect(stage.complaints()).toEqual([]);
  });

  test("a provider's page shows a breaker that opened, and a credential goes in and never comes out", async () => {
    const { page } = stage;
    for (let call = 0; call < 6; call++) await chat("down");
    await open("/providers");
    await expect
      .poll(async () => table("Providers").locator("tr", { hasText: "acme" }).first().innerText())
      .toMatch(/skipped|on trial/);
    await page.getByRole("button", { name: /^acme · down · chat: (skipped|on trial)/ }).waitFor();
    const { data } = await operate<{ data: Health[] }>(stage, "GET /health/routes");
    const opened = data.find(({ changes }) => changes.some(({ state }) => state === "open"));
    expect(opened).toMatchObject({ provider: "acme", failed: 5 });

    // The addresses of known providers come after the name is typed, as they do on a slow line.
    const named = Promise.withResolvers<void>();
    await page.route("**/provider-presets", (route) => named.promise.then(() => route.continue()));
    await press("New provider");
    await page.getByLabel("Name", { exact: true }).fill("openai");
    named.resolve();
    await expect
      .poll(() => page.evaluate<string>("document.querySelector('input[name=base_url]').value"))
      .toBe("https://api.openai.com/v1");
    await page.getByLabel("API key").fill(CREDENTIAL);
    await press("Add the provider");
    await page.waitForURL(/\/providers\/openai/);
    await seen("No model has a route to it");
    expect(await page.evaluate<string>("document.body.innerHTML")).not.toContain(CREDENTIAL);
    expect(await operate(stage, "GET /providers/openai")).toMatchObject({ credential: "stored" });
    await press("More");
    await page.getByText("Remove…").click();
    await page.getByLabel("Type “openai” to confirm").fill("openai");
    await press("Remove this provider");
    await seen("The provider is removed");
    await expect(operate(stage, "GET /providers/openai")).rejects.toThrow();
    expect(stage.complaints()).toEqual([]);
  });
});
