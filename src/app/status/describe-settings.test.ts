import { expect, test } from "vitest";
import { listFields } from "../../config/fields.ts";
import { loadConfig } from "../../config/load-config.ts";
import { settingsView } from "../../wire/admin/settings.ts";
import { describeSettings } from "./describe-settings.ts";

/** A value for each secret that its pattern takes, with a word in it that is nowhere else. */
const CANARY = "canary7Q";
const BYTES = Buffer.from(CANARY.padEnd(32, "-more")).toString("base64");
const SECRETS: Record<string, string> = {
  "admin.token": `${CANARY}-admin-token`,
  "admin.metrics_token": `${CANARY}-metrics-token`,
  "database.url": `postgres://gate:${CANARY}@db.example:5432/tollgate`,
  "database.direct_url": `postgres://gate:${CANARY}@db.example:5433/tollgate`,
  "credential.key": BYTES,
  "credential.previous_key": BYTES.replace(/^./, "Z"),
  "notices.webhooks": `ops=https://hooks.example/${CANARY} whsec_${BYTES}`,
  "traces.headers": `authorization=${CANARY}`,
  "cli.token": `${CANARY}-cli-token`,
  "sign_in.client_secret": `${CANARY}-client`,
  "init.password": `${CANARY} is a long password`,
};

test("no secret appears among the settings, whichever it is", () => {
  const secrets = listFields().filter(({ secret }) => secret);
  const environment = {
    ...Object.fromEntries(secrets.map(({ path, environment: name }) => [name, SECRETS[path]])),
    TOLLGATE_URL: "http://127.0.0.1:1",
    TOLLGATE_INIT_EMAIL: "ann@acme.example",
  };
  const { config, sources, file } = loadConfig({ environment, readFile: missing });

  const told = settingsView(describeSettings(config, { sources, file }));

  const shown = told.settings.filter(({ secret }) => secret);
  expect(shown).toHaveLength(secrets.length);
  for (const { path, ...setting } of shown)
    expect(setting, path).toMatchObject({ is_set: true, value: null, default: null, source: "environment" });
  const text = JSON.stringify(told);
  expect(text).not.toContain(CANARY);
  expect(text).not.toContain(BYTES.slice(4, 20));
});

test("a setting says what is in force, what it is by default, and who set it where", () => {
  const readFile = (): string => "limits:\n  body_bytes: 1048576\n";
  const { config, sources, file } = loadConfig({
    environment: { PORT: "9000", TOLLGATE_CONFIG: "gate.yaml" },
    readFile,
  });
  const { settings, ...rest } = settingsView(describeSettings(config, { sources, file }));
  const of = (path: string) => settings.find((setting) => setting.path === path);

  expect(rest).toEqual({ file: "gate.yaml" });
  expect(of("limits.body_bytes")).toMatchObject({ value: "1048576", source: "file", place: "gate.yaml:2:3" });
  expect(of("listen.port")).toMatchObject({
    value: "9000",
    default: expect.any(String),
    source: "environment",
    place: "PORT",
  });
  expect(of("admin.port")).toMatchObject({ source: "default", place: null });
  expect(of("admin.public_url")).toMatchObject({ is_set: false, value: null });
  expect(of("admin.token")).toMatchObject({ is_set: false, secret: true, value: null });
});

const missing = (): never => {
  throw Object.assign(new Error("no such file"), { code: "ENOENT" });
};
