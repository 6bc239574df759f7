import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Ran, runTollgate } from "../../tests/support/run-tollgate.ts";
import { buildInfo } from "../config/build-info.ts";
import { packageVersion } from "../config/package-version.ts";
import { runTollgate as runHere } from "./tollgate.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-cli-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const run = (words: string, env: Record<string, string> = {}) =>
  runTollgate(
    words.split(" ").filter((word) => word !== ""),
    { cwd: folder, env },
  );

/** The same in this process, for what does nothing but speak: dozens of new processes would take a minute. */
async function say(words: string): Promise<Ran> {
  const written = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  try {
    await runHere(["node", "tollgate", ...words.split(" ").filter((word) => word !== "")]);
    return { code: Number(process.exitCode), ...written };
  } finally {
    process.exitCode = undefined;
    for (const spy of spies) spy.mockRestore();
  }
}

const COMMANDS = [
  "dev",
  "live show",
  "live cancel",
  "tail",
  "requests list",
  "requests show",
  "requests export",
  "series",
  "logs",
  "serve",
  "migrate",
  "keys create",
  "keys list",
  "keys show",
  "keys suspend",
  "keys resume",
  "keys disable",
  "keys enable",
  "keys revoke",
  "keys update",
  "keys rotate",
  "keys import",
  "topup",
  "budget",
  "usage",
  "margins",
  "costs set",
  "costs list",
  "costs remove",
  "reconcile",
  "ledger show",
  "ledger verify",
  "ledger quarantine list",
  "ledger quarantine release",
  "ledger partitions",
  "catalogue apply",
  "catalogue prices",
  "providers add",
  "providers list",
  "providers test",
  "providers certify",
  "providers rekey",
  "providers remove",
  "models add",
  "models list",
  "models show",
  "models price",
  "models publish",
  "models unpublish",
  "models routes",
  "models import",
  "doctor",
  "config show",
  "import litellm",
  "connect",
  "login",
  "token",
  "logout",
  "simulate",
  "completion",
  "accounts create",
  "accounts list",
  "accounts show",
  "accounts move",
  "accounts suspend",
  "accounts resume",
  "accounts close",
  "accounts limit",
  "accounts topup",
  "accounts import",
  "accounts statement",
  "keys move",
  "keys adopt",
  "keys limit",
  "notices list",
  "notices test",
  "notices retry",
  "notices thresholds",
  "audit list",
  "audit show",
  "audit export",
  "whoami",
  "people list",
  "people show",
  "people add",
  "people update",
  "people password",
  "people grant",
  "people revoke",
  "people remove",
  "tokens create",
  "tokens list",
  "tokens revoke",
  "sessions list",
  "sessions end",
  "clients list",
  "clients end",
];

test.each(["", ...COMMANDS])("the command %j explains itself on standard output and ends with 0", async (command) => {
  const { code, stdout, stderr } = await say(`${command} --help`);

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`Usage: tollgate ${command}`.trim());
  expect(stdout).toContain("--config <file>");
});

test("every command is in this list", async () => {
  const { stdout } = await say("--help");
  const names = [...stdout.matchAll(/^ {2}(\w+)(?: \[options\]| <|\s{2})/gm)].map(([, name]) => name);

  expect(new Set(names.filter((name) => name !== "help"))).toEqual(
    new Set(COMMANDS.map((command) => command.split(" ")[0])),
  );
});

test("the first word of the version is the package's, and the commit follows in brackets", async () => {
  const { code, stdout } = await run("--version");
  const { version, commit } = buildInfo();

  expect(code).toBe(0);
  expect(stdout).toBe(commit === null ? `${version}\n` : `${version} (${commit.slice(0, 12)})\n`);
  expect(stdout.split(/\s/)[0]).toBe(packageVersion());
});

test.each([
  ["", "Usage: tollgate"],
  ["kes list", "Did you mean keys?"],
  ["keys list --limt 3", "Did you mean --limit?"],
  ["keys list --limit zero", "whole number of at least 1"],
  ["keys create --mode free", "Allowed choices are credit, token_budget"],
  ["keys create --expires tomorrow-ish", "It must be a date"],
  ["keys create --expires 12", "It must be a date"],
  ["keys create --expires 2027-02-30", "It must be a date"],
  ["keys update x --expires 01.02.2027", "It must be a date"],
  ["keys update x --expires 2027-01-31T18:00", "It must be a date"],
  ["keys create --credit five", "It must be a decimal such as 25 or 0.50"],
  ["keys create --credit 1000000001", "at most 1,000,000,000"],
  ["topup x 1.0000000001", "at most nine decimal places"],
  ["keys revoke", "missing required argument"],
  ["keys rotate x --overlap 5", "a length of time such as"],
  ["keys rotate x --overlap 367d", "at most 366d"],
  ["keys update x --rpm many", "whole number of at least 1"],
  ["keys create --period year", "Allowed choices are none, day, week, month"],
  ["topup x 5 --kind refund", "Allowed choices are purchase, grant, adjust"],
  ["budget x -5", "whole number of tokens"],
  ["usage x --days 367", "at most 366"],
  ["ledger show x --limit 0", "whole number of at least 1"],
  ["dev --port 99999", "It must be a port"],
  ["dev --simulator somewhere", "It must be a URL"],
  ["providers add x --preset nobody", "Allowed choices are anthropic"],
  ["models add x", "required option '--provider <name>'"],
  ["models price x --input free", "a decimal of credits such as 2.50"],
  ["models price x --input 1000000.000000001", "at most 1000000"],
  ["models price x --tool web_search", "such as web_search=0.01"],
  ["models price x --from soon", "It must be a date"],
  ["models routes x add", "Allowed choices are remove"],
  ["models import f --from elsewhere --provider x", "Allowed choices are litellm"],
  ["models import f --from litellm --provider x --markup 0", "a decimal above zero"],
])("a command line that is not understood (%j) ends with 2 and says why", async (words, reason) => {
  const { code, stdout, stderr } = await say(words);

  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(reason);
  expect(stderr).not.toContain("    at ");
});

test.each<[words: string, env: Record<string, string>, reason: string]>([
  ["keys list", {}, "no gateway and no database are configured"],
  ["keys revoke x", {}, "no gateway and no database are configured"],
  ["keys update x", {}, "there is nothing to change"],
  ["topup x -5 --kind adjust", {}, "no gateway and no database are configured"],
  ["migrate", {}, "database.url"],
  ["serve", {}, "admin.token"],
  ["catalogue apply missing.yaml", {}, "missing.yaml"],
  ["models list", {}, "Set TOLLGATE_URL and TOLLGATE_TOKEN, or DATABASE_URL"],
  ["models price x", {}, "there is nothing to change"],
  ["models routes x remove", {}, "name the route"],
  ["models import missing.json --from litellm --provider x", {}, "missing.json"],
  ["providers add x", {}, "--url and --credential"],
  ["providers add all --preset groq", {}, "which means every provider"],
  ["providers add x --url ftp://h --credential none", {}, "--url must be"],
  ["providers add x --preset groq --credential env:TOLLGATE_ADMIN_TOKEN", {}, "is a variable of Tollgate itself"],
  ["config show", { TOLLGATE_LISTEN_PORT: "many" }, "TOLLGATE_LISTEN_PORT"],
  ["config show", { TOLLGATE_NO_SUCH: "1" }, "TOLLGATE_NO_SUCH"],
  ["migrate", { DATABASE_URL: "postgres://127.0.0.1:1/none" }, "127.0.0.1:1"],
])("what cannot be done (%s, %j) ends with 1 and a sentence, also as JSON", async (words, env, reason) => {
  const [plain, json] = await Promise.all([run(words, env), run(`${words} --json`, env)]);
  expect({ code: plain.code, stdout: plain.stdout }).toEqual({ code: 1, stdout: "" });
  expect(plain.stderr).toMatch(/^tollgate: /);
  expect(plain.stderr).toContain(reason);
  expect(plain.stderr).not.toContain("    at ");

  if (words === "serve") return;
  expect({ code: json.code, stdout: json.stdout }).toEqual({ code: 1, stdout: "" });
  expect(JSON.parse(json.stderr)).toEqual({ error: { message: expect.stringContaining(reason) as string } });
});

test("a credential in place of its reference is not repeated", async () => {
  const { code, stdout, stderr } = await run("providers add x --preset groq --credential gsk_nobody-may-see");

  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("never the credential itself");
  expect(stderr).not.toContain("nobody-may-see");
});

test("the process ends with the code that was meant", async () => {
  expect(await run("keys --nonsense")).toMatchObject({ code: 2, stdout: "" });
});

test("settings are shown as text and as data, and never with a secret", async () => {
  const env = { TOLLGATE_ADMIN_TOKEN: "a-token-nobody-may-see", DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/d" };
  const [text, json] = [await run("config show", env), await run("config show --json", env)];

  expect([text.code, json.code]).toEqual([0, 0]);
  expect(JSON.parse(json.stdout)).toMatchObject({ file: null, settings: expect.any(Array) as unknown[] });
  expect(text.stdout).toContain("admin.token");
  for (const { stdout, stderr } of [text, json]) expect(stdout + stderr).not.toMatch(/nobody-may-see|hunter2/);
});

test("a page that was saved in place of a price list is called that", async () => {
  writeFileSync(join(folder, "prices.html"), "<!doctype html><style>a{color:red;color:blue}</style>");
  const { code, stdout, stderr } = await run("models import prices.html --from litellm --provider x");

  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("prices.html is not a JSON object. Save the list itself, not the web page that shows it.");
});

test("a failed command with nothing open ends by itself, since an exit by force can hang", async () => {
  const tell = "const { exit } = process; process.exit = (code) => { process.stderr.write('by force'); exit(code); };";
  const { code, stderr } = await run("catalogue apply missing.yaml", {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}`,
  });

  expect(code).toBe(1);
  expect(stderr).toContain("missing.yaml");
  expect(stderr).not.toContain("by force");
});

test("a catalogue with problems is refused with all of them", async () => {
  writeFileSync(join(folder, "bad.yaml"), "models: [{ id: a }, { id: b }]\nprovider: []\n");
  const { code, stderr } = await run("catalogue apply bad.yaml");

  expect(code).toBe(1);
  expect(stderr).toContain("models[0] (a).provider");
  expect(stderr).toContain("models[1] (b).provider");
});
