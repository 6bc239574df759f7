/**
 * Opens pages of the built site in a browser, on a phone and on a desk, in both themes: pictures for people, and what a machine can
 * see: pages wider than the window, text that is too faint, requests to other hosts, errors of scripts.
 */
import { createReadStream, existsSync, mkdirSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { installPackages, load } from "../../tests/support/npm-packages.ts";
import { FAINT_TEXT } from "../../tests/support/faint-text.ts";

/** As much of the browser's library as is used; its types are not installed with the project. */
type Page = {
  goto: (url: string, options: object) => Promise<unknown>;
  evaluate: <Result>(script: string) => Promise<Result>;
  screenshot: (options: object) => Promise<unknown>;
  on: (event: string, listener: (said: never) => void) => void;
};
type Context = {
  newPage: () => Promise<Page>;
  close: () => Promise<void>;
  addInitScript: (script: string) => Promise<void>;
};
type Browser = { newContext: (options: object) => Promise<Context>; close: () => Promise<void> };
type Library = { chromium: { launch: (options: object) => Promise<Browser> } };

export type Asked = { folder: string; base: string; pages: readonly string[]; into: string };

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

export async function lookAtSite({ folder, base, pages, into }: Asked): Promise<string[]> {
  const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (program === undefined) throw new Error("no chromium in /usr/bin; install it to look at the site");
  const installed = await installPackages("browser", { "playwright-core": "1.65.0" });
  if (installed.missing) throw new Error(installed.missing);
  mkdirSync(into, { recursive: true });
  const server = await serve(folder, base);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await load<Library>(installed, "playwright-core").chromium.launch({
    executablePath: program,
    args: ["--no-sandbox"],
  });
  const problems: string[] = [];
  try {
    for (const width of [390, 1280])
      for (const theme of ["light", "dark"])
        for (const page of pages)
          problems.push(...(await look(browser, { url: `${origin}${base}${page}`, origin, width, theme, into })));
  } finally {
    await browser.close();
    server.close();
  }
  return problems;
}

type Look = { url: string; origin: string; width: number; theme: string; into: string };

async function look(browser: Browser, { url, origin, width, theme, into }: Look): Promise<string[]> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme === "dark" ? "light" : "dark",
  });
  await context.addInitScript(`localStorage.setItem("starlight-theme", "${theme}")`);
  const page = await context.newPage();
  const problems: string[] = [];
  const place = `${new URL(url).pathname} at ${width}, ${theme}`;
  page.on("pageerror", (error: Error) => problems.push(`${place}: ${error.message}`));
  page.on("request", (request: { url: () => string }) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:"))
      problems.push(`${place}: asks ${request.url()}`);
  });
  await page.goto(url, { waitUntil: "load" });
  const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
  if (wide > width) problems.push(`${place}: ${wide} pixels wide`);
  const { faint } = await page.evaluate<{ faint: string[] }>(FAINT_TEXT);
  if (faint.length > 0) problems.push(`${place}: faint text in ${faint.join(", ")}`);
  const name = new URL(url).pathname.replaceAll("/", "-").replaceAll(/^-|-$/g, "") || "home";
  await page.screenshot({ path: join(into, `${name}-${width}-${theme}.png`) });
  await context.close();
  return problems;
}

/** Serves the built files on loopback, as a static host does. */
function serve(folder: string, base: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname).slice(base.length);
    const file = join(folder, path === "" || path.endsWith("/") ? `${path}index.html` : path);
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404, { "content-type": "text/html; charset=utf-8" });
      createReadStream(join(folder, "404.html")).pipe(response);
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}
