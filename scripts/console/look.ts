/**
 * Opens pages of the console in Chromium and writes pictures of them. Whatever the browser complains of is a problem, and so is a
 * page that is wider than its window.
 */
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export type Look = { url: string; name: string; width: number; theme: "light" | "dark" };

type Message = { type: () => string; text: () => string };
type BrowserPage = {
  on: ((event: "console", hear: (message: Message) => void) => void) &
    ((event: "pageerror", hear: (error: Error) => void) => void);
  goto: (url: string, options: { waitUntil: "networkidle" }) => Promise<unknown>;
  evaluate: <Value>(script: string) => Promise<Value>;
  screenshot: (options: { path: string; fullPage: boolean }) => Promise<unknown>;
};
type Context = { newPage: () => Promise<BrowserPage>; close: () => Promise<void> };
type Browser = { newContext: (options: object) => Promise<Context>; close: () => Promise<void> };
type Playwright = { chromium: { launch: (options: object) => Promise<Browser> } };
type DevServer = { listen: () => Promise<void>; close: () => Promise<void>; resolvedUrls: { local: string[] } };
type Vite = { createServer: (options: object) => Promise<DevServer> };

const CHROMIUM = "/usr/bin/chromium";
const NARROW = 600;

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
  const { chromium } = createRequire(join(folder, "package.json"))("playwright-core") as Playwright;
  mkdirSync(into, { recursive: true });
  const problems: string[] = [];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  for (const one of looks) problems.push(...(await picture(browser, one, into)).map((text) => `${one.name}: ${text}`));
  await browser.close();
  return problems;
}

async function picture(browser: Browser, { url, name, width, theme }: Look, into: string): Promise<string[]> {
  const problems: string[] = [];
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    reducedMotion: "reduce",
    hasTouch: width < NARROW,
    isMobile: width < NARROW,
  });
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
