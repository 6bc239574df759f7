import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { readUnit } from "../support/host/unit-file.ts";

const UNITS = join(import.meta.dirname, "../../deploy/systemd");
const PAGE = readFileSync(join(import.meta.dirname, "../../docs/deploy/systemd.md"), "utf8");
const NAMES = ["tollgate.service", "tollgate-migrate.service"];
/** In tenths, as systemd-analyze takes it; the page names it. */
const MOST_EXPOSED = 11;
const FAREWELL_MS = 30_000;
const missing = spawnSync("systemd-analyze", ["--version"]).error ? "systemd-analyze is not installed" : null;

const unit = readUnit(join(UNITS, "tollgate.service"));
const { config } = loadConfig({ environment: {} });

describe.skipIf(missing)(`systemd-analyze${missing === null ? "" : ` (${missing})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-units-"));
  for (const name of NAMES) cpSync(join(UNITS, name), join(folder, name));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("verifies both units, with another program in the place of the installed one", () => {
    for (const name of NAMES) {
      const text = readFileSync(join(folder, name), "utf8").replaceAll("/opt/tollgate/bin/tollgate", "/bin/true");
      writeFileSync(join(folder, name), text);
    }
    const words = ["verify", "--man=no", ...NAMES.map((name) => join(folder, name))];
    const { status, stderr } = spawnSync("systemd-analyze", words, { encoding: "utf8" });

    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test.each(NAMES)("rates the exposure of %s as low as the page says", (name) => {
    const words = ["security", "--offline=true", `--threshold=${MOST_EXPOSED}`, "--no-pager", join(folder, name)];
    const { status, stdout } = spawnSync("systemd-analyze", words, { encoding: "utf8" });

    expect({ status, stdout }).toMatchObject({ status: 0 });
    expect(PAGE).toContain(`rates both units ${MOST_EXPOSED / 10} `);
  });
});

test("the service has longer to stop than a drain and the last charges take, and says so", () => {
  const stopMs = Number(unit.last("TimeoutStopSec")) * 1_000;

  expect(stopMs).toBeGreaterThan(config.drain.deadlineMs + config.drain.delayMs + FAREWELL_MS);
  expect(PAGE).toContain(
    `waits ${stopMs / 1_000} seconds, which is more than \`drain.deadline_ms\` (${config.drain.deadlineMs / 1_000} s)`,
  );
});

test("the service may open as many files as the settings allow connections", () => {
  expect(Number(unit.last("LimitNOFILE"))).toBeGreaterThan(
    config.limits.connections + config.upstream.connectionsPerOrigin + config.database.poolSize,
  );
});

test("both units are confined alike", () => {
  const confinement = (name: string): string => {
    const text = readFileSync(join(UNITS, name), "utf8");
    return text
      .slice(text.indexOf("\nUMask="), text.includes("[Install]") ? text.indexOf("\n[Install]") : undefined)
      .trim();
  };

  expect(confinement("tollgate.service")).toContain("ProtectSystem=strict");
  expect(confinement("tollgate.service")).toBe(confinement("tollgate-migrate.service"));
});

test("every file of the folder is used by the page", () => {
  const unused = globSync("*", { cwd: UNITS }).filter((file) => !PAGE.includes(file));

  expect(unused).toEqual([]);
});
