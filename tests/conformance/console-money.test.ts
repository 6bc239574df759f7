import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operate } from "../contract/operator.ts";
import { type ConsoleStage, noConsole, startConsoleStage } from "../support/console-stage.ts";
import { rememberSecrets } from "../support/gateway-process.ts";

const EMAIL = "ann@acme.example";
const PASSWORD = "a phrase for the first owner";
const CREDENTIAL = "sk-0123456789abcdef";
const UPSTREAM = "sim+tokens=20";
const CONSOLE = join(import.meta.dirname, "../../console/package.json");
const today = (): string => new Date().toISOString().slice(0, 10);

let stage: ConsoleStage;
let requests: string[];

const open = (path: string) => stage.page.goto(`${stage.adminUrl}/console${path}`);
const press = (name: string | RegExp) => stage.page.getByRole("button", { name, exact: true }).click();
const seen = (text: string | RegExp) => stage.page.getByText(text).first().waitFor();
const table = (name: string | RegExp) => stage.page.getByRole("table", { name });

/** What axe finds on the page as it is, and how much wider it is than its window. */
async function judged(): Promise<string[]> {
  await stage.page.evaluate(
    `${readFileSync(createRequire(CONSOLE).resolve("axe-core/axe.min.js"), "utf8")}; undefined`,
  );
  const found = await stage.page.evaluate<string[]>(
    `axe.run(document, { runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] } })
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).join(", ")))`,
  );
  const root = "document.documentElement";
  const over = await stage.page.evaluate<number>(`${root}.scrollWidth - ${root}.clientWidth`);
  return over > 0 ? [...found, `is ${over} px too wide`] : found;
}

async function chat(secret: string, model: string): Promise<string> {
  const answer = await fetch(`${stage.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 50, messages: [{ role: "user", content: "Hello" }] }),
  });
  await answer.text();
  return answer.headers.get("x-request-id") ?? "";
}

beforeAll(async () => {
  if (noConsole !== null) return;
  stage = await startConsoleStage();
  rememberSecrets([CREDENTIAL]);
  const provider = { base_url: `${stage.simulator.url}/v1`, credential: "stored", secret: CREDENTIAL };
  await operate(stage, "POST /providers", { name: "acme", ...provider });
  const terms = { context_window: 128_000, max_output_tokens: 4_096, price: { input: "2.5", output: "10" } };
  for (const [id, upstream] of [
    ["acme/large", UPSTREAM],
    ["acme/small", "sim+tokens=5"],
  ])
    await operate(stage, "POST /models", {
      id,
      ...terms,
      route: { provider: "acme", upstream_model: upstream, format: "chat" },
    });
  const { secret } = await operate<{ secret: string }>(stage, "POST /keys", { mode: "credit", credit: "100" });
  rememberSecrets([secret]);
  requests = [await chat(secret, "acme/large"), await chat(secret, "acme/large"), await chat(secret, "acme/small")];
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

describe.skipIf(noConsole)("costs and bills in the console", { timeout: 180_000 }, () => {
  test("what was charged without a cost has no margin until its cost is given, and the other still has none", async () => {
    const { page } = stage;
    await open("/margins");
    await expect.poll(() => table("Without a cost").innerText()).toMatch(/acme\s+sim\+tokens=20\s+any cost\s+2/);
    expect(await table("Margins").innerText()).toMatch(/acme\/large\s+0\s+–\s+–\s+–\s+–\s+2/);
    await table("Without a cost")
      .locator("tr", { hasText: UPSTREAM })
      .getByRole("button", { name: `Give its cost: ${UPSTREAM}` })
      .first()
      .click();
    await page.getByLabel("Input", { exact: true }).fill("1");
    await page.getByLabel("Output", { exact: true }).fill("4");
    await page.getByLabel("From this day on (UTC)").fill(today());
    await press("Give this cost");
    await seen("The cost is given");

    // 60 % of what it is charged at, in each part.
    await expect.poll(() => table("Margins").innerText()).toMatch(/acme\/large\s+2\s.*\s60 %\s+0\s+–/);
    expect(await table("Margins").innerText()).toMatch(/acme\/small\s+0\s+–\s+–\s+–\s+–\s+1/);
    expect(await table("Costs").innerText()).toMatch(/acme\s+sim\+tokens=20\s+\W*in force\s+input 1, output 4/);
    expect(await table("Without a cost").innerText()).not.toContain(UPSTREAM);
    await seen(/2 requests made before the cost was given/);
    expect(await judged()).toEqual([]);
    expect(stage.complaints()).toEqual([]);
  });

  test("a bill is compared in the browser, and each line leads to its requests", async () => {
    const { page } = stage;
    await open("/margins/bills");
    const bill = `date,meterName,meterCategory,unitOfMeasure,quantity\n${today()},large in,Foundry Models,1M,0.5\n${today()},odd,Foundry Models,1M,1\n`;
    await page.getByLabel("Day (UTC)").fill(today());
    await page
      .getByLabel("Exports")
      .setInputFiles({ name: "usage.csv", mimeType: "text/csv", buffer: Buffer.from(bill) });
    await page
      .getByLabel("The map")
      .fill(`azure: { provider: acme, names: { large in: { model: "${UPSTREAM}", kind: input } } }`);
    await press("Compare");

    const lines = table(`Bills of ${today()}`);
    await expect.poll(() => lines.innerText()).toMatch(/unmapped/);
    expect(await lines.innerText()).toMatch(/unrecorded\s+acme\s+sim\+tokens=20\s+–\s+input\s+\d+\s+500,000\s+\+499,/);
    await lines.locator("tr", { hasText: "unrecorded" }).first().click();
    const behind = page.getByRole("region", { name: "Requests of this line" });
    await expect.poll(() => behind.innerText()).toContain("2 requests");
    for (const id of requests.slice(0, 2)) expect(await behind.innerText()).toContain(id);
    expect(await judged()).toEqual([]);
    await behind.getByText(requests[0] ?? "").click();
    await page.waitForURL(new RegExp(`/requests/${requests[0]}`));
    expect(stage.complaints()).toEqual([]);
  });

  test("a file that is no bill, and a map that cannot be read, are told with their place", async () => {
    const { page } = stage;
    await open("/margins/bills");
    const file = (text: string) => ({ name: "what.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await page.getByLabel("Exports").setInputFiles(file("name,amount\na,1\n"));
    await page.getByLabel("The map").fill("azure: { provider: acme }");
    await press("Compare");
    await seen(/what\.csv.*no export that is known/);
    await page.getByLabel("The map").fill("azure: [");
    await press("Compare");
    await seen(/map:1:/);
    expect(stage.complaints()).toEqual([]);
  });
});
