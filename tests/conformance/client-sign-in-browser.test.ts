import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Chromium, findChromium } from "../support/chromium.ts";
import { type GatewayProcess, rememberSecrets } from "../support/gateway-process.ts";
import { openDeviceClient } from "../support/oidc/device-client.ts";
import { type SignInGateway, startSignInGateway } from "../support/oidc/sign-in-gateway.ts";

const PATIENT_MS = 240_000;
const { missing, launch } = await findChromium();

let stage: SignInGateway;
let gateway: GatewayProcess;
let chromium: Chromium;
beforeAll(async () => {
  if (missing) return;
  // The provider is another site than the gateway, as it is everywhere.
  stage = await startSignInGateway({
    groups: "search -> member of Acme/Search",
    users: { ann: { email: "ann@acme.example", name: "Ann Anders", groups: ["search"] } },
    host: "localhost",
  });
  ({ gateway } = stage);
  chromium = await launch();
}, PATIENT_MS);
afterAll(async () => {
  if (missing) return;
  await chromium.close();
  await stage.stop();
}, PATIENT_MS);

const LOOKS = [
  { javaScriptEnabled: false, viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  { javaScriptEnabled: true, viewport: { width: 390, height: 844 }, colorScheme: "dark" },
] as const;

describe.skipIf(missing)("in a real browser", { timeout: PATIENT_MS }, () => {
  test.each(LOOKS)("a person approves a client, with scripts $javaScriptEnabled", async (look) => {
    const device = openDeviceClient(gateway.publicUrl);
    const started = await device.start();
    const context = await chromium.newContext(look);
    const page = await context.newPage();
    const said: string[] = [];
    page.on("console", (line) => {
      const { text, location } = line as { text: () => string; location: () => { url: string } };
      said.push(`${location.call(line).url} ${text.call(line)}`);
    });

    await page.goto(started.page);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.fill("input[name=login]", "ann");
    await page.fill("input[name=password]", "any");
    await page.click("button[type=submit]");
    await page.getByText("Approve this client?").waitFor();
    expect(await page.locator("dl").innerText()).toContain("Ann Anders (ann@acme.example)");
    expect(await page.locator(".code").innerText()).toBe(started.userCode);
    const cookies = await context.cookies();
    rememberSecrets(cookies.map(({ value }) => value));
    expect(cookies.find(({ name }) => name === "tollgate_device")).toMatchObject({ httpOnly: true, sameSite: "Lax" });
    expect(await device.poll(started)).toMatchObject({ body: { error: "authorization_pending" } });
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("is signed in as ann@acme.example").waitFor();

    // Nothing was blocked by the policy of the pages, and the cookie is gone.
    expect(said.filter((line) => line.startsWith(gateway.publicUrl) && !line.includes("favicon"))).toEqual([]);
    expect((await context.cookies()).filter(({ name }) => name === "tollgate_device")).toEqual([]);
    await context.close();
  });
});
