import { existsSync } from "node:fs";
import { installPackages, load } from "./npm-packages.ts";
import { waitingFor } from "./time-spent.ts";

/** As much of the browser's library as is used; its types are not installed with the project. */
export type Locator = {
  click: () => Promise<void>;
  fill: (text: string) => Promise<void>;
  check: () => Promise<void>;
  uncheck: () => Promise<void>;
  inputValue: () => Promise<string>;
  selectOption: (option: string | { label: string }) => Promise<unknown>;
  setInputFiles: (file: { name: string; mimeType: string; buffer: Buffer }) => Promise<void>;
  waitFor: (options?: { state?: "visible" | "attached" | "hidden" | "detached"; timeout?: number }) => Promise<void>;
  isVisible: () => Promise<boolean>;
  count: () => Promise<number>;
  innerText: () => Promise<string>;
  getAttribute: (name: string) => Promise<string | null>;
} & Finding;
type Finding = {
  getByRole: (role: string, options?: { name?: string | RegExp; exact?: boolean }) => Located;
  getByLabel: (text: string | RegExp, options?: { exact?: boolean }) => Located;
  getByText: (text: string | RegExp, options?: { exact?: boolean }) => Located;
  locator: (selector: string, options?: { hasText?: string | RegExp }) => Located;
};
type Located = Locator & { first: () => Locator };
/** A request of a page: sent now, or as if from here, or never answered. */
type Held = { continue: () => Promise<void>; fetch: () => Promise<unknown>; abort: () => Promise<void> };
export type ChromiumPage = Finding & {
  /** Holds back what the page asks for at such an address, until it is let go. */
  route: (address: string, held: (route: Held) => Promise<void>) => Promise<unknown>;
  goto: (url: string, options?: object) => Promise<{ status: () => number } | null>;
  url: () => string;
  setViewportSize: (size: { width: number; height: number }) => Promise<void>;
  evaluate: <Result>(script: string) => Promise<Result>;
  waitForFunction: (script: string) => Promise<unknown>;
  fill: (selector: string, value: string) => Promise<void>;
  click: (selector: string) => Promise<void>;
  waitForURL: (url: string | RegExp, options?: { timeout: number }) => Promise<void>;
  waitForNavigation: () => Promise<{ status: () => number } | null>;
  reload: () => Promise<unknown>;
  emulateMedia: (options: { colorScheme: Theme }) => Promise<void>;
  screenshot: (options: { path: string; fullPage?: boolean }) => Promise<unknown>;
  keyboard: { press: (key: string) => Promise<void>; type: (text: string) => Promise<void> };
  on: (event: "console" | "pageerror", listener: (said: unknown) => void) => void;
};
type ChromiumCookie = { name: string; value: string; httpOnly: boolean; sameSite: string; path: string };
export type ChromiumContext = {
  newPage: () => Promise<ChromiumPage>;
  cookies: () => Promise<ChromiumCookie[]>;
  close: () => Promise<void>;
};
export type Chromium = { newContext: (options?: object) => Promise<ChromiumContext>; close: () => Promise<void> };
type Library = { chromium: { launch: (options: object) => Promise<Chromium> } };

export type Theme = "light" | "dark";

/** What every page of a console is looked at in. The gate sees it wide and dark, and narrow and light. */
export const LOOKS: readonly { width: number; themes: readonly Theme[] }[] = [
  { width: 1440, themes: process.env["TEST_LONG"] === "1" ? ["light", "dark"] : ["dark"] },
  { width: 390, themes: ["light"] },
];

/** Shows an open page in this theme, and waits until its colours are there. Answers the colour of its background. */
export async function showTheme(page: ChromiumPage, colorScheme: Theme): Promise<string> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate("Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => 0)");
  return page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
}

/** The first is the same engine without windows and menus, and takes less than half of the processor time over a run. */
const PROGRAMS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** A real browser, or why there is none. */
export async function findChromium(): Promise<{ missing: string | null; launch: () => Promise<Chromium> }> {
  const program = PROGRAMS.map((name) => `/usr/bin/${name}`).find(existsSync);
  const installed =
    program === undefined
      ? { folder: null, missing: "no chromium in /usr/bin" }
      : await installPackages("browser", { "playwright-core": "1.65.0" });
  // Reporters pass a file over in silence when all of it is skipped.
  if (installed.missing !== null) process.stderr.write(`skipped: the pages in a browser: ${installed.missing}\n`);
  return {
    missing: installed.missing,
    launch: () =>
      waitingFor("browser", () =>
        load<Library>(installed, "playwright-core").chromium.launch({
          executablePath: program,
          args: ["--no-sandbox"],
        }),
      ),
  };
}
