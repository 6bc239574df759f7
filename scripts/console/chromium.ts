/** Debian's Chromium through playwright-core, which is installed with the console and not with the project. */
import { createRequire } from "node:module";
import { join } from "node:path";

type Message = { type: () => string; text: () => string; location: () => { url: string } };
export type BrowserPage = {
  on: ((event: "console", hear: (message: Message) => void) => void) &
    ((event: "pageerror", hear: (error: Error) => void) => void);
  goto: (url: string, options?: object) => Promise<unknown>;
  url: () => string;
  evaluate: <Value>(script: string) => Promise<Value>;
  fill: (selector: string, value: string) => Promise<void>;
  click: (selector: string) => Promise<void>;
  waitForLoadState: (state: "networkidle", options: { timeout: number }) => Promise<void>;
  waitForTimeout: (ms: number) => Promise<void>;
  screenshot: (options: object) => Promise<unknown>;
  setViewportSize: (size: { width: number; height: number }) => Promise<void>;
  close: () => Promise<void>;
};
export type BrowserContext = { newPage: () => Promise<BrowserPage>; close: () => Promise<void> };
export type Browser = { newContext: (options: object) => Promise<BrowserContext>; close: () => Promise<void> };
type Playwright = { chromium: { launch: (options: object) => Promise<Browser> } };

export type Theme = "light" | "dark";

const CHROMIUM = "/usr/bin/chromium";
const NARROW = 600;

export function launchChromium(folder: string): Promise<Browser> {
  const { chromium } = createRequire(join(folder, "package.json"))("playwright-core") as Playwright;
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
}

export const openContext = (
  browser: Browser,
  { width, theme }: { width: number; theme: Theme },
): Promise<BrowserContext> =>
  browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    reducedMotion: "reduce",
    hasTouch: width < NARROW,
    isMobile: width < NARROW,
  });

const LONGEST_MS = 30_000;
const EVERY_MS = 50;

/** Waits for something on a page. Asked from outside: the page's policy lets no script wait in it. */
export async function untilTrue(page: BrowserPage, script: string): Promise<void> {
  // While a page is being left it can't be asked.
  const isSo = (): Promise<boolean> => page.evaluate<boolean>(script).catch(() => false);
  for (const until = Date.now() + LONGEST_MS; !(await isSo()); await page.waitForTimeout(EVERY_MS))
    if (Date.now() > until) throw new Error(`${page.url()}: it never came to ${script}`);
}
