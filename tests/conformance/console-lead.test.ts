import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operate } from "../contract/operator.ts";
import { type ConsoleStage, noConsole, startConsoleStage } from "../support/console-stage.ts";

const LEAD = { email: "lead@acme.example", name: "Lena", password: "a phrase that the lead knows" };
const FIELD = "document.querySelector('input[role=combobox]').value";

let stage: ConsoleStage;
let team: string;
const open = (path: string) => stage.page.goto(`${stage.adminUrl}/console${path}`, { waitUntil: "networkidle" });
const goOn = (name: string) => stage.page.getByRole("button", { name }).click();

describe.skipIf(noConsole)("a lead in a real browser", () => {
  beforeAll(async () => {
    stage = await startConsoleStage();
    await operate(stage, "POST /accounts", { name: "Acme", kind: "organisation" });
    await operate(stage, "POST /accounts/Acme/topups", { amount: "5", kind: "purchase", reference: "first" });
    const made = { name: "Search", kind: "team", parent: "Acme" };
    team = (await operate<{ account: { id: string } }>(stage, "POST /accounts", made)).account.id;
    await operate(stage, "POST /people", { ...LEAD, grants: [{ role: "operator", account: "Acme/Search" }] });
    await open("/");
    await stage.page.fill("input[name=email]", LEAD.email);
    await stage.page.fill("input[name=password]", LEAD.password);
    await stage.page.click("button[type=submit]");
    await stage.page.getByRole("link", { name: "Keys" }).first().waitFor();
  });
  afterAll(() => (noConsole === null ? stage.stop() : undefined));

  test("a text that names no account stays in the field, and the form is not sent", async () => {
    const { page } = stage;
    await open(`/keys/new?in=${team}`);
    const account = page.getByRole("combobox", { name: "Account" });
    await account.fill("nowhere");
    await page.getByText("No account has this in its name.").waitFor();

    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");

    expect(await page.evaluate<string>(FIELD)).toBe("nowhere");
    expect(await page.getByRole("heading", { name: "Who is it for?" }).first().isVisible()).toBe(true);
  });

  test("a form that got no answer shows what was done all the same", async () => {
    const { page } = stage;
    await open(`/accounts/${team}`);
    await goOn("More");
    await page.getByRole("menuitem", { name: "New account below it" }).click();
    await page.getByLabel("Name").fill("Crawler");
    await page.route("**/admin/v1/accounts", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.keyboard.press("Enter");
    await page.getByText("The gateway does not answer.").first().waitFor();

    // Before the page asks again by itself.
    await page.getByText("Crawler").first().waitFor({ state: "attached", timeout: 6_000 });
  });

  test("what was made a moment ago is suggested for a filter", async () => {
    const { page } = stage;
    await open("/requests");
    await goOn("Filter");
    const field = page.getByLabel("Account and all below it");
    const option = (name: string) => page.locator(`#filter-account option[value="Acme/Search/${name}"]`);
    const offered = (name: string) => option(name).waitFor({ state: "attached", timeout: 6_000 });
    await field.fill("crawler");
    await offered("Crawler");
    await operate(stage, "POST /accounts", { name: "Crawler two", kind: "team", parent: "Acme/Search" });
    await field.fill("something else");
    await option("Crawler").waitFor({ state: "detached" });
    await field.fill("crawler");

    await offered("Crawler two");
  });

  test("the last step says nothing of an account that is still being read", async () => {
    const { page } = stage;
    const gate = Promise.withResolvers<void>();
    await open("/keys/new");
    await page.route(`**/admin/v1/accounts/${team}`, async (route) => {
      await gate.promise;
      await route.continue().catch(() => undefined);
    });
    await page.getByRole("combobox", { name: "Account" }).fill("sear");
    await page.getByRole("option", { name: "Acme/Search" }).first().click();
    for (let step = 0; step < 3; step += 1) await goOn("Continue");
    await page.getByRole("button", { name: "Make the key" }).waitFor();
    const before = await page.locator("main").innerText();
    gate.resolve();
    await page.getByText("Acme/Search").first().waitFor();

    expect(before).not.toContain("nothing until it is topped up");
  });

  test("a key is made in their account, though what pays for it is above it", async () => {
    const { page } = stage;
    await open(`/keys/new?in=${team}`);
    await page.getByLabel("Label").fill("of a lead");
    const field = await page.evaluate<string>(FIELD);
    for (let step = 0; step < 3; step += 1) await goOn("Continue");
    const review = await page.locator("main").innerText();
    const held: (() => void)[] = [];
    await page.route("**/admin/v1/accounts/**", async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue().catch(() => undefined);
    });
    await goOn("Make the key");

    // While all else is still being read again.
    await page.getByRole("heading", { name: "The key is made" }).first().waitFor({ timeout: 20_000 });
    for (const release of held) release();
    const { data } = await operate<{ data: { label: string; account: string }[] }>(stage, "GET /keys");

    expect(field).toBe("Acme/Search");
    expect(review).toContain("Acme/Search");
    expect(held.length).toBeGreaterThan(0);
    expect(data).toMatchObject([{ label: "of a lead", account: "Acme/Search" }]);
  });
});
