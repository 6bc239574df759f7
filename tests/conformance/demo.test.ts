import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { childEnvironment } from "../support/child-environment.ts";
import { type Chromium, type ChromiumPage, findChromium } from "../support/chromium.ts";
import {
  DEMO_DAYS,
  DEMO_PATIENCE_MS as PATIENT_MS,
  type DemoProcess,
  startDemoProcess,
} from "../support/demo-process.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { until } from "../support/until.ts";

const FOLDER = ".tollgate-demo";
const DAY_MS = 86_400_000;
/** A key of the demo that is its own account, and that no request goes on with. */
const CONTRACTOR = "contractor: Nordlys Studio";
const built = existsSync(join(import.meta.dirname, "../../console/dist/index.html"));
const { missing, launch } = built
  ? await findChromium()
  : { missing: "the console is not built", launch: () => Promise.reject(new Error("the console is not built")) };
if (!built) process.stderr.write("skipped: the numbers of the console, which is not built: npm run console\n");

let home: string;
let demo: DemoProcess;
let page: ChromiumPage;
const environment = () => ({ ...childEnvironment(), HOME: home });
const tollgate = (...words: string[]) => runTollgate(words, { cwd: home, env: environment() });

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "tollgate-demo-"));
  demo = await startDemoProcess(home);
}, PATIENT_MS);
afterAll(async () => {
  await demo.stop();
  rmSync(home, { recursive: true, force: true });
}, PATIENT_MS);

test("the demo says what it seeded, and how to sign in as operator and as key holder", async () => {
  const said = demo.said();
  const [, email = ""] = /email +(\S+)/.exec(said) ?? [];
  const [, password = ""] = /password +(\S+)/.exec(said) ?? [];
  const session = await fetch(`${demo.adminUrl}/admin/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: demo.adminUrl },
    body: JSON.stringify({ email, password }),
  });
  const holder = await fetch(`${demo.publicUrl}/me`, {
    headers: { authorization: `Bearer ${demo.keys.credit}` },
  });

  expect(said).toMatch(new RegExp(`Seeded \\d{1,2},\\d{3} requests of ${DEMO_DAYS} days in \\d+ s\\.`));
  expect([session.status, holder.status]).toEqual([201, 200]);
  expect(said).toContain(`${demo.adminUrl}/console`);
  expect(said).toContain("at most 5 at a time, 1,500 in all");
});

test("made-up requests go on, and are charged to the keys of the demo", async () => {
  type Listed = { data: { at: string; charged: unknown }[] };
  const fresh = async () => (await demo.ask<Listed>("/requests?limit=5")).data[0]?.at ?? "";
  const before = await fresh();
  await expect.poll(fresh, { timeout: 60_000 }).not.toBe(before);
});

test(
  "the books verify while requests go on, with every amount computed again",
  async () => {
    const { code, stdout } = await tollgate("ledger", "verify", "--recompute", "--json");
    const report = JSON.parse(stdout) as { ok: boolean; mismatches: unknown[]; recomputed: number };

    expect(report.mismatches).toEqual([]);
    expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true });
    expect(report.recomputed).toBeGreaterThan(300 * DEMO_DAYS);
  },
  PATIENT_MS,
);

/** "1,204.50 credits" is "1204.5". */
const numberIn = (text: string): string => {
  const plain = /-?[\d,.]+/.exec(text)?.[0].replaceAll(",", "") ?? text;
  return plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain;
};

/** Every digit of each figure of the page, by its label. */
async function figures(path: string): Promise<Record<string, string>> {
  await page.goto(`${demo.adminUrl}/console${path}`);
  const read = `Object.fromEntries([...document.querySelectorAll("dl > div")].flatMap((figure) => {
    const [label, value] = [figure.querySelector("dt"), figure.querySelector("dd[title]")];
    return label && value ? [[label.textContent.split(" · ")[0], value.title]] : [];
  }))`;
  await expect.poll(async () => Object.keys(await page.evaluate<object>(read)).length).toBeGreaterThan(1);
  const found = await page.evaluate<Record<string, string>>(read);
  return Object.fromEntries(Object.entries(found).map(([label, text]) => [label, numberIn(text)]));
}

const query = (values: Record<string, string>): string => new URLSearchParams(values).toString();
const answered = async <Answer>(...words: string[]): Promise<Answer> =>
  JSON.parse((await tollgate(...words, "--json")).stdout) as Answer;

/** Requests go on in the demo, so what is compared has ended: days that are over, and a key that sends none of them. */
const ended = (): { from: string; to: string } => {
  const toMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS;
  return { from: new Date(toMs - 14 * DAY_MS).toISOString(), to: new Date(toMs).toISOString() };
};

type Listed = { data: { id: string; label: string | null; prefix: string }[]; next: string | null };
const contractor = async (): Promise<{ id: string; prefix: string }> => {
  const { data } = await demo.ask<Listed>("/keys?limit=100");
  const found = data.find(({ label }) => label === CONTRACTOR);
  if (found === undefined) throw new Error("the demo has no such key");
  return found;
};

describe.skipIf(missing)("numbers of the console", { timeout: PATIENT_MS }, () => {
  let chromium: Chromium;

  beforeAll(async () => {
    chromium = await launch();
    page = await (await chromium.newContext()).newPage();
    await page.goto(`${demo.adminUrl}/console`);
    const said = demo.said();
    await page.fill("input[name=email]", /email +(\S+)/.exec(said)?.[1] ?? "");
    await page.fill("input[name=password]", /password +(\S+)/.exec(said)?.[1] ?? "");
    await page.click("button[type=submit]");
    await until(() => !page.url().includes("sign-in"), "the owner is signed in", 60_000);
  }, PATIENT_MS);
  afterAll(() => chromium.close());

  test("the overview shows what the API says of the same span: credits, requests and output", async () => {
    const { from, to } = ended();
    const shown = await figures(`/?${query({ from, to })}`);
    type Series = { total: { credits: string; requests: number; output_tokens: number } };
    const { total } = await demo.ask<Series>(`/series?${query({ from, to, step: "1d" })}`);

    expect(shown).toMatchObject({
      Charged: numberIn(total.credits),
      Requests: String(total.requests),
      Output: String(total.output_tokens),
    });
    expect(total.requests).toBeGreaterThan(1_000);
  });

  test("the overview of one key shows what `tollgate series` says of it, and what its page says it spent", async () => {
    const { id, prefix } = await contractor();
    const from = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - 89 * DAY_MS).toISOString();
    const to = new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS).toISOString();
    const shown = await figures(`/?${query({ key: id, from, to })}`);
    type Series = { total: { credits: string; requests: number } };
    const { total } = await answered<Series>("series", prefix, "--from", from, "--to", to, "--step", "1d");
    const { Spent } = await figures(`/keys/${id}`);

    expect(shown).toMatchObject({ Charged: numberIn(total.credits), Requests: String(total.requests) });
    expect(shown["Charged"]).toBe(Spent);
  });

  test("a key's page shows what `keys` and the API say it has", async () => {
    const { id } = await contractor();
    const shown = await figures(`/keys/${id}`);
    type Funds = { available: string; reserved: string; spent: string; requests: number };
    const funds = await demo.ask<Funds>(`/keys/${id}/funds`);

    expect(shown).toMatchObject({
      Available: numberIn(funds.available),
      Reserved: numberIn(funds.reserved),
      Spent: numberIn(funds.spent),
      Finished: String(funds.requests),
    });
  });

  test("the running balance of the ledger page ends with the key's balance, and is that of `ledger show`", async () => {
    const { id, prefix } = await contractor();
    await page.goto(`${demo.adminUrl}/console/ledger?key=${id}`);
    const read = `[...document.querySelectorAll('[role="row"], tr')].slice(1, 6).map((row) => {
      const amounts = [...row.querySelectorAll("span[title$=credits]")].map((amount) => amount.title);
      return amounts.at(-1) ?? "";
    })`;
    await expect.poll(async () => (await page.evaluate<string[]>(read)).filter(Boolean).length).toBeGreaterThan(3);
    const shown = (await page.evaluate<string[]>(read)).map(numberIn);
    type Journal = { data: { running: string | null }[] };
    const journal = await answered<Journal>("ledger", "show", prefix, "--limit", "5");
    const { available } = await demo.ask<{ available: string }>(`/keys/${id}/funds`);

    expect(shown).toEqual(journal.data.map(({ running }) => numberIn(running ?? "")));
    expect(shown[0]).toBe(numberIn(available));
  });

  test("a request's page shows what `requests show` says it was charged, and what the journal has of it", async () => {
    const { id, prefix } = await contractor();
    type Requests = { data: { request_id: string; charged: { credits: string | null } | null }[] };
    const { data } = await demo.ask<Requests>(`/requests?key=${id}&limit=50`);
    const one = data.find(({ charged }) => charged?.credits != null && charged.credits !== "0");
    const shown = await figures(`/requests/${one?.request_id}`);
    type Shown = { charged: { credits: string } };
    const told = await answered<Shown>("requests", "show", one?.request_id ?? "");
    type Journal = { data: { request_id: string | null; credits: string }[] };
    const journal = await answered<Journal>("ledger", "show", prefix, "--limit", "200");
    const entry = journal.data.find(({ request_id: request }) => request === one?.request_id);

    expect(shown["Charged"]).toBe(numberIn(told.charged.credits));
    expect(`-${shown["Charged"]}`).toBe(numberIn(entry?.credits ?? ""));
  });
});

test(
  "a second start finds the demo and seeds nothing again",
  async () => {
    type Accounts = { data: { id: string }[] };
    const before = await demo.ask<Accounts>("/accounts?limit=100");
    await demo.stop();
    demo = await startDemoProcess(home);

    expect(demo.said()).not.toContain("Seeded");
    expect(await demo.ask<Accounts>("/accounts?limit=100")).toMatchObject({
      data: before.data.map(({ id }) => ({ id })),
    });
  },
  PATIENT_MS,
);

test(
  "a database that is none of the demo's is left alone",
  async () => {
    mkdirSync(join(home, ".tollgate/pgdata"), { recursive: true });
    writeFileSync(join(home, ".tollgate/pgdata/PG_VERSION"), "17\n");
    const { code, stderr } = await tollgate("dev", "--demo", "--port", "0", "--folder", ".tollgate");

    expect(code).toBe(1);
    expect(stderr).toContain("holds a database without demo data");
    expect(existsSync(join(home, FOLDER, "demo.json"))).toBe(true);
  },
  PATIENT_MS,
);
