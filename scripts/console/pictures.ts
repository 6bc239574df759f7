/** Pictures of every page of both consoles, what axe finds in them, and whatever the browser complains of. */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import {
  type BrowserContext,
  type BrowserPage,
  launchChromium,
  openContext,
  untilTrue,
  type Theme,
} from "./chromium.ts";
import { writeSheet } from "./contact-sheet.ts";
import { type ListedPage, listPages } from "./page-list.ts";
import type { Stage } from "./stage.ts";

export type Session = {
  name: string;
  width: number;
  theme: Theme;
  stage: Stage;
  /** Which span pages with one show. */
  query: string;
  /** Nothing happened yet, so there may be no request to look at. */
  empty: boolean;
};
export type Pictures = { taken: number; problems: string[] };

const SETTLE_MS = 500;
const QUIET_MS = 6_000;
/** Live has to fill, and its stream never ends. */
const LIVE_MS = 8_000;
const TALLEST = 3_000;

/** One folder and one contact sheet for each session. */
export async function takePictures(folder: string, sessions: readonly Session[], into: string): Promise<Pictures> {
  const axe = readFileSync(createRequire(join(folder, "package.json")).resolve("axe-core/axe.min.js"), "utf8");
  const pages = await listPages(folder);
  const browser = await launchChromium(folder);
  const problems: string[] = [];
  let taken = 0;
  try {
    for (const session of sessions) {
      const files: { name: string; file: string }[] = [];
      mkdirSync(join(into, session.name), { recursive: true });
      for (const side of ["operator", "holder"] as const) {
        const context = await openContext(browser, session);
        const seen = await visit(context, {
          session,
          axe,
          into,
          pages: pages.filter((page) => page.console === side),
          side,
        });
        problems.push(...seen.problems.map((text) => `${session.name} ${text}`));
        files.push(...seen.files);
        await context.close();
      }
      taken += files.length;
      await writeSheet(browser, { title: session.name, width: session.width, files, into });
    }
  } finally {
    await browser.close();
  }
  return { taken, problems };
}

type Visit = { session: Session; axe: string; into: string; pages: readonly ListedPage[]; side: ListedPage["console"] };
type Seen = { files: { name: string; file: string }[]; problems: string[] };

async function visit(context: BrowserContext, { session, axe, into, pages, side }: Visit): Promise<Seen> {
  const { stage, query } = session;
  const files: Seen["files"] = [];
  const problems: string[] = [];
  const page = await context.newPage();
  let shown = "sign-in";
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !isAsking(message.text()))
      problems.push(`${shown}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`${shown}: ${error.message}`));
  const keep = async (name: string): Promise<void> => {
    problems.push(...(await judge(page, axe)).map((text) => `${name}: ${text}`));
    const file = join(session.name, `${name}.png`);
    await picture(page, { file: join(into, file), width: session.width });
    files.push({ name, file });
  };
  const home = `${side === "operator" ? stage.adminUrl : stage.publicUrl}/console`;
  await page.goto(home);
  await settle(page, false);
  await keep(side === "operator" ? "sign-in" : "holder-sign-in");
  await (side === "operator" ? signIn(page, stage) : signInWithKey(page, stage));
  const links = new Map<string, string>();
  for (const { path, name } of pages) {
    shown = name;
    const address = path.includes("$") ? await findOne(page, { home, path, links }) : path;
    if (address === null) {
      if (!session.empty) problems.push(`${name}: no link leads to one`);
      continue;
    }
    await page.goto(`${home}${address === "/" ? "" : address}${path.includes("$") ? "" : query}`);
    await settle(page, path === "/live");
    await keep(name);
  }
  return { files, problems };
}

/** The browser tells of every answer that is no success, and whoever is not signed in gets one. */
const isAsking = (text: string): boolean => /status of 401/.test(text);

async function signIn(page: BrowserPage, { email, password }: Stage): Promise<void> {
  await page.fill("input[name=email]", email);
  await page.fill("input[name=password]", password);
  await page.click("button[type=submit]");
  await untilTrue(page, "!location.pathname.endsWith('/sign-in')");
}

async function signInWithKey(page: BrowserPage, { keys }: Stage): Promise<void> {
  await page.fill("input[name=key]", keys.credit);
  await page.click("button[type=submit]");
  await untilTrue(page, "document.querySelector('input[name=key]') === null");
}

/** One of a kind: the first that its list leads to. */
async function findOne(
  page: BrowserPage,
  { home, path, links }: { home: string; path: string; links: Map<string, string> },
): Promise<string | null> {
  const list = path.slice(0, path.indexOf("/$"));
  const known = links.get(list);
  if (known !== undefined) return known;
  await page.goto(`${home}${list}`);
  await settle(page, false);
  const found = await page.evaluate<string | null>(`(() => {
    const start = ${JSON.stringify(`/console${list}/`)};
    const links = [...document.querySelectorAll("main a[href]")].map((link) => new URL(link.href).pathname);
    return links.find((link) => link.startsWith(start) && !link.slice(start.length).includes("/") && !link.endsWith("/new")) ?? null;
  })()`);
  const opened = found ?? (await openFirstRow(page, `/console${list}/`));
  if (opened === null) return null;
  const address = opened.slice("/console".length);
  links.set(list, address);
  return address;
}

/** Rows open with a click, where they are no links. */
async function openFirstRow(page: BrowserPage, start: string): Promise<string | null> {
  if (!(await page.evaluate<boolean>(`document.querySelector('main [data-row="0"]') !== null`))) return null;
  await page.click('main [data-row="0"]');
  await page.waitForTimeout(SETTLE_MS);
  const { pathname } = new URL(page.url());
  return pathname.startsWith(start) ? pathname : null;
}

async function settle(page: BrowserPage, isLive: boolean): Promise<void> {
  if (isLive) return page.waitForTimeout(LIVE_MS);
  await page.waitForLoadState("networkidle", { timeout: QUIET_MS }).catch(() => undefined);
  await page.waitForTimeout(SETTLE_MS);
}

/** What is wrong with a page as it is. */
async function judge(page: BrowserPage, axe: string): Promise<string[]> {
  const root = "document.documentElement";
  const over = await page.evaluate<number>(`${root}.scrollWidth - ${root}.clientWidth`);
  await page.evaluate(`${axe}; undefined`);
  const tags = JSON.stringify(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]);
  const found = await page.evaluate<
    string[]
  >(`axe.run(document, { runOnly: { type: "tag", values: ${tags} } }).then(({ violations }) =>
    violations.map(({ id, nodes }) => \`axe \${id}: \${nodes.length} × \${nodes[0].target.join(" ")}\`))`);
  return over > 0 ? [...found, `is ${over} px wider than its window`] : found;
}

async function picture(page: BrowserPage, { file, width }: { file: string; width: number }): Promise<void> {
  const height = await page.evaluate<number>("document.documentElement.scrollHeight");
  const clip = { x: 0, y: 0, width, height: Math.min(TALLEST, Math.max(900, height)) };
  await page.screenshot({ path: file, fullPage: true, clip });
}
