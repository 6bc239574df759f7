import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandsOf, type Fence, fencesOf, isRunnable } from "../support/fenced/fences.ts";
import { runSession, SESSION_TIMEOUT_MS } from "../support/fenced/session.ts";
import { copyMachine, whyNoCopiedMachine } from "../support/host/copied-machine.ts";
import { packProject } from "../support/pack-project.ts";
import { freshDatabase, whyUnavailable } from "../support/postgres.ts";
import { freePort, freePortsInRow } from "../support/free-port.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../support/simulator-process.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = "docs/deploy/systemd.md";

/** What the page promises of the service that its last command leaves running. */
const AFTERWARDS: Fence = {
  page: PAGE,
  line: 0,
  language: "sh",
  text: [
    "pid=$(cat /run/acted/tollgate.service)",
    `test "$(ps -o user= -p $pid)" = tollgate`,
    `grep -q '^CapBnd:\t0*$' /proc/$pid/status`,
    `test -z "$(grep -zF "$(cat /etc/tollgate/credentials/admin-token)" /proc/$pid/environ | tr -d '\\0')"`,
    "curl --silent --retry 60 --retry-delay 1 --retry-connrefused http://127.0.0.1:8080/readyz",
    "systemctl stop tollgate",
    "tail -n 1 /var/log/tollgate.service.log",
    `command -v systemd-analyze && systemd-analyze verify --man=no tollgate.service || ! command -v systemd-analyze`,
  ].join("\n"),
  notRun: null,
  file: null,
  runsUntil: null,
  failsWith: null,
  printedBy: null,
};
const missing = whyUnavailable("15") ?? whyNoCopiedMachine();

describe.skipIf(missing)(`every command of ${PAGE}${missing === null ? "" : ` (${missing})`}`, () => {
  let folder: string;
  let database: { url: string; close: () => Promise<void> };
  let simulator: SimulatorProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-unit-"));
    [database, simulator] = await Promise.all([freshDatabase({ migrated: false }), startSimulatorProcess()]);
    mkdirSync(join(folder, "empty"));
    await packProject(join(folder, "empty"));
  });
  afterAll(async () => {
    await simulator.stop();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test(
    "leads from an empty folder to a paid answer, as the units' user on a read-only machine",
    { timeout: 2 * SESSION_TIMEOUT_MS },
    async () => {
      const [port, adminPort] = [await freePort(), await freePortsInRow(2)];
      const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
      const fences = fencesOf(PAGE).filter(isRunnable);
      const commands = fences.flatMap(commandsOf);
      const within = copyMachine(folder);
      const startedAtMs = Date.now();
      const { ran, failure } = await runSession([...fences, AFTERWARDS], {
        folder: join(folder, "empty"),
        environment: {
          ...npmSettings(),
          HOME: "/root",
          PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        },
        replacements: [
          [/tollgate-0\.1\.0\.tgz/g, `tollgate-${version}.tgz`],
          [
            /(?<=tollgate\.env \/etc\/tollgate\/tollgate\.env)$/g,
            ` && printf 'WORKERS=2\\nPORT=${port}\\nTOLLGATE_ADMIN_PORT=${adminPort}\\n' >> /etc/tollgate/tollgate.env`,
          ],
          [/postgres:\/\/tollgate:password@127\.0\.0\.1:5432\/tollgate/g, database.url],
          [/https:\/\/api\.openai\.com/g, simulator.url],
          [/--upstream-model gpt-4\.1-mini/g, "--upstream-model sim-fast"],
          [/127\.0\.0\.1:8080/g, `127.0.0.1:${port}`],
          [/sk-…/g, "sk-simulated"],
          [/(?<=Bearer )tgc_…/g, "$(printed tgc_)"],
          [/(?<="content":"Hello"\}\]\}')$/g, ` && date +%s.%N > ${join(folder, "empty/paid-at")}`],
        ],
        packageFolders: [],
        within,
      });

      expect(failure).toBeNull();
      const paidAtMs = Number(readFileSync(join(folder, "empty/paid-at"), "utf8")) * 1_000;
      const paidSeconds = Math.round((paidAtMs - startedAtMs) / 100) / 10;
      expect(ran).toBe(commands.length + commandsOf(AFTERWARDS).length);
      expect(readFileSync(join(folder, "empty/.session/transcript"), "utf8")).toContain("data: [DONE]");
      console.log(`${PAGE}: ${commands.length} commands; first paid answer after ${paidSeconds} s`);
    },
  );
});

/** A machine may reach its registry only through its own settings. */
const npmSettings = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...process.env, npm_config_prefer_offline: "true", npm_config_loglevel: "error" }).flatMap(
      ([name, value]) =>
        /^npm_config_|_proxy$|^NODE_EXTRA_CA_CERTS$/i.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  );
