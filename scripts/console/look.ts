/**
 * Opens pages of the console in Chromium and writes pictures of them. Whatever the browser complains of is a problem, and so is a
 * page that is wider than its window.
 */
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, launchChromium, openContext, type Theme } from "./chromium.ts";

export type Look = { url: string; name: string; width: number; theme: Theme };

type DevServer = { listen: () => Promise<void>; close: () => Promise<void>; resolvedUrls: { local: string[] } };
type Vite = { createServer: (options: object) => Promise<DevServer> };

/** Vite is installed with the console, and not with the project. */
export async function serveConsole(folder: string): Promise<{ url: string; close: () => Promise<void> }> {
  const place = createRequire(join(folder, "package.json")).resolve("vite");
  const { createServer } = (await import(pathToFileURL(place).href)) as Vite;
  const server = await createServer({ root: folder, server: { host: "127.0.0.1" }, logLevel: "error" });
  await server.listen();
  return { url: server.resolvedUrls.local[0] ?? "", close: () => server.close() };
}

/** Returns the problems. */
export async function lookAt(folder: string, looks: readonly Look[], into: string): Promise<string[]> {
  mkdirSync(into, { recursive: true });
  const problems: string[] = [];
  const browser = await launchChromium(folder);
  for (const one of looks) problems.push(...(await picture(browser, one, into)).map((text) => `${one.name}: ${text}`));
  await browser.close();
  return problems;
}

async function picture(browser: Browser, { url, name, width, theme }: Look, into: string): Promise<string[]> {
  const problems: string[] = [];
  const context = await openContext(browser, { width, theme });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(url, { waitUntil: "networkidle" });
  const root = "document.documentElement";
  const over = await page.evaluate<number>(`${root}.scrollWidth - ${root}.clientWidth`);
  if (over > 0) problems.push(`is ${over} px wider than its window`);
  await page.screenshot({ path: join(into, `${name}.png`), fullPage: true });
  await context.close();
  return problems;
}
