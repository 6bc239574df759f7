import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { listPages } from "../../scripts/console/page-list.ts";
import { type ChromiumPage, findChromium } from "../support/chromium.ts";
import type { Subject } from "./subject.ts";

/** A page as a browser saw it: how long until it had all that it asked for, how often it asked, and the longest answer. */
export type SeenPage = { path: string; readyMs: number; requests: number; slowestMs: number; slowest: string };

export type ConsoleReader = {
  paths: readonly string[];
  /** Loads one from nothing. */
  load: (path: string) => Promise<SeenPage>;
  /** What the browser complained of. */
  complaints: readonly string[];
  close: () => Promise<void>;
};

const FOLDER = join(import.meta.dirname, "../../console");
const PASSWORD = "a reader of every page";
/** So long without another answer, a page has all that it asks for. */
const QUIET_MS = 1_200;
const LONGEST_MS = 20_000;
/** One that takes as long as it is watched. */
const STREAM = "/live/events";

/** An operator with a browser, signed in to the console of this gateway. Only root can start it at another priority and go on with its own. */
export async function openConsole(subject: Subject, adminToken: string): Promise<ConsoleReader> {
  const { missing, launch } = await findChromium();
  if (missing !== null) throw new Error(`no browser: ${missing}`);
  const email = await makeOwner(subject, adminToken);
  // An operator's browser is on another machine; here it gets what the gateway and its database leave.
  setPriority(constants.priority.PRIORITY_LOW);
  const chromium = await launch();
  setPriority(constants.priority.PRIORITY_NORMAL);
  const page = await (await chromium.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  const complaints: string[] = [];
  page.on("console", (said) => {
    const { type, text } = said as { type: () => string; text: () => string };
    if (["error", "warning"].includes(type())) complaints.push(text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${subject.adminOrigin}/console`);
  await page.fill("input[name=email]", email);
  await page.fill("input[name=password]", PASSWORD);
  await page.click("button[type=submit]");
  await page.getByRole("link", { name: "Requests" }).first().waitFor();
  const paths = await pathsOf(subject, adminToken);
  return {
    paths,
    load: (path) => load(page, `${subject.adminOrigin}/console`, path),
    complaints,
    close: () => chromium.close(),
  };
}

async function ask<Answer>(
  subject: Subject,
  adminToken: string,
  { path, body }: { path: string; body?: object },
): Promise<Answer> {
  const response = await fetch(`${subject.adminOrigin}/admin/v1/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function makeOwner(subject: Subject, adminToken: string): Promise<string> {
  const email = `reader-${Date.now()}@bench.example`;
  const body = { email, password: PASSWORD, grants: [{ role: "owner", account: null }] };
  await ask(subject, adminToken, { path: "people", body });
  return email;
}

/** Every page of operators; of those of one thing each, that of the first that is listed. */
async function pathsOf(subject: Subject, adminToken: string): Promise<string[]> {
  const first = async (list: string, name: string): Promise<string> => {
    const { data } = await ask<{ data: Record<string, string>[] }>(subject, adminToken, { path: `${list}?limit=1` });
    return data[0]?.[name] ?? "none";
  };
  const things: Record<string, string> = {
    $request: await first("requests", "request_id"),
    $entry: await first("audit", "id"),
    $account: await first("accounts", "id"),
    $model: await first("models", "id"),
    $provider: await first("providers", "name"),
    $person: await first("people", "id"),
    $key: await first("keys", "id"),
  };
  const listed = (await listPages(FOLDER)).filter((page) => page.console === "operator");
  return listed.map(({ path }) => path.replace(/\$\w+/, (name) => things[name] ?? name));
}

type Entry = { name: string; duration: number; responseEnd: number };

async function load(page: ChromiumPage, origin: string, path: string): Promise<SeenPage> {
  await page.goto(`${origin}${path}`);
  const read = (): Promise<Entry[]> =>
    page.evaluate<Entry[]>(`performance.getEntriesByType("resource")
      .filter(({ name }) => name.includes("/admin/v1/") && !name.includes("${STREAM}"))
      .map(({ name, duration, responseEnd }) => ({ name, duration, responseEnd }))`);
  let entries = await read();
  for (let quietMs = 0, waitedMs = 0; quietMs < QUIET_MS && waitedMs < LONGEST_MS; waitedMs += 100) {
    await pause(100);
    const now = await read();
    quietMs = now.length === entries.length ? quietMs + 100 : 0;
    entries = now;
  }
  const loadedMs = await page.evaluate<number>(
    `performance.getEntriesByType("navigation")[0]?.domContentLoadedEventEnd ?? 0`,
  );
  const slowest = entries.toSorted((one, other) => other.duration - one.duration)[0];
  return {
    path,
    readyMs: Math.max(loadedMs, ...entries.map(({ responseEnd }) => responseEnd)),
    requests: entries.length,
    slowestMs: slowest?.duration ?? 0,
    slowest: slowest === undefined ? "" : slowest.name.replace(/^.*\/admin\/v1\//, ""),
  };
}
