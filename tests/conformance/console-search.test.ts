import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operate } from "../contract/operator.ts";
import { type ConsoleStage, noConsole, startConsoleStage } from "../support/console-stage.ts";

const KEYS = 10_000;
const BATCH = 1_000;
const PERSON = { email: "ann@acme.example", name: "Ann", password: "a phrase for the first owner" };
const ID = "('10000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";
/** The oldest is the last of a list that has the newest first. */
const OLDEST = "10000000-0000-7000-8000-000000000001";
const PLANT = [
  `insert into key (id, bucket, mode, label) select ${ID}, 7, 'credit', case when n = 1 then 'Night batch' else 'key ' || n end from generate_series($1::int, $2::int) n`,
  `insert into key_secret (digest, key_id, bucket, prefix) select sha256(n::text::bytea), ${ID}, 7, 'tgc_a03' || lpad(n::text, 5, '0') from generate_series($1::int, $2::int) n`,
];

let stage: ConsoleStage;
const open = (path: string) => stage.page.goto(`${stage.adminUrl}/console${path}`, { waitUntil: "networkidle" });

/** How long until the page has it, from the last letter on. */
async function timed(name: string, act: () => Promise<void>, seen: () => Promise<unknown>): Promise<void> {
  await act();
  const start = performance.now();
  await seen();
  console.log(
    `of ${KEYS.toLocaleString("en")} keys one was found ${name} in ${Math.round(performance.now() - start)} ms`,
  );
}

describe.skipIf(noConsole)("searching in a real browser", () => {
  beforeAll(async () => {
    stage = await startConsoleStage();
    const client = new Client({ connectionString: stage.databaseUrl });
    await client.connect();
    for (let first = 1; first <= KEYS; first += BATCH)
      for (const sql of PLANT) await client.query(sql, [first, first + BATCH - 1]);
    await client.end();
    await operate(stage, "POST /people", { ...PERSON, grants: [{ role: "owner" }] });
    for (const name of ["Acme", "Umbra"]) await operate(stage, "POST /accounts", { name, kind: "organisation" });
    await operate(stage, "POST /accounts", { name: "Search", kind: "team", parent: "Acme" });
    await open("/");
    await stage.page.fill("input[name=email]", PERSON.email);
    await stage.page.fill("input[name=password]", PERSON.password);
    await stage.page.click("button[type=submit]");
    await stage.page.getByRole("link", { name: "Keys" }).first().waitFor();
  });
  afterAll(() => (noConsole === null ? stage.stop() : undefined));

  test("the page of keys finds the oldest of 10,000 by its label, and its address keeps the search", async () => {
    const { page } = stage;
    await open("/keys");
    const found = page.getByText("Night batch").first();

    await timed(
      "on the page of keys",
      () => page.fill("input[type=search]", "NIGHT b"),
      () => found.waitFor(),
    );
    const address = page.url();
    await page.reload();
    await found.waitFor();

    expect(address).toContain("find=NIGHT+b");
    expect(await page.getByText("key 10000").first().isVisible()).toBe(false);
    expect(stage.complaints()).toEqual([]);
  });

  test("the palette finds it, and Enter opens it", async () => {
    const { page } = stage;
    await open("/");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find a page, a key or an account" }).waitFor();
    const option = page.getByRole("option", { name: /^Night batch/ }).first();

    await timed(
      "from the palette",
      () => page.keyboard.type("night batch"),
      () => option.waitFor(),
    );
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/keys/${OLDEST}`));

    expect(stage.complaints()).toEqual([]);
  });

  test("the last text wins, also where an earlier answer comes later", async () => {
    const { page } = stage;
    await open("/keys");
    const held: (() => void)[] = [];
    await page.route("**/admin/v1/keys?*search=key+9*", async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue().catch(() => undefined);
    });
    await page.fill("input[type=search]", "key 9");
    await expect.poll(() => held.length).toBe(1);
    await page.fill("input[type=search]", "night");
    await page.getByText("Night batch").first().waitFor();
    for (const release of held) release();
    await page.fill("input[type=search]", "night ");

    expect(await page.getByText("Night batch").first().isVisible()).toBe(true);
    expect(await page.getByText("key 9999").first().isVisible()).toBe(false);
    expect(stage.complaints()).toEqual([]);
  });

  test("an account is found on its page and chosen in a form by a part of its name", async () => {
    const { page } = stage;
    await open("/accounts");
    await page.fill("input[type=search]", "sear");
    await page.getByText("Acme/Search").first().waitFor();
    const listed = await page.locator("main").innerText();
    await open("/keys/new");
    await page.getByLabel("Label").fill("of the search team");
    await page.getByLabel("Account").fill("sear");
    await page.getByRole("option", { name: "Acme/Search" }).first().waitFor();
    await page.keyboard.press("Enter");
    for (let step = 0; step < 3; step += 1) await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Acme/Search").first().waitFor();
    const review = await page.locator("main").innerText();

    expect(listed).not.toContain("Umbra");
    expect(review).toContain("Acme/Search");
    expect(review).toContain("of the search team");
    expect(stage.complaints()).toEqual([]);
  });
});
