import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { ConfigError } from "./config-error.ts";
import { describeConfig } from "./describe.ts";
import { loadConfig } from "./load-config.ts";
import { requireSettings } from "./require-settings.ts";

const CANARY = "canary-0f7d2c9a41b8e6";

/** A file system that holds just these files. */
const files = (contents: Record<string, string>) => (path: string) => {
  const text = contents[path];
  if (text === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
  return text;
};
const noFiles = files({});

function refusalOf(load: () => unknown): ConfigError {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("the configuration was accepted");
}

test("without a file and without variables every setting has its default", () => {
  const { config, sources, file } = loadConfig({ environment: {}, readFile: noFiles });

  expect(file).toBeNull();
  expect(config).toMatchObject({
    listen: { host: "127.0.0.1", port: 8080 },
    limits: { bodyBytes: 33_554_432 },
    creditUsd: "1",
  });
  expect(config.admin.token).toBeNull();
  expect(new Set([...sources.values()].map((source) => source.kind))).toEqual(new Set(["default"]));
});

test("the file wins over defaults and the environment wins over the file", () => {
  const readFile = files({ "tollgate.yaml": "listen:\n  port: 1000\n  host: example.test\n" });

  const { config, sources } = loadConfig({ environment: { PORT: "2000" }, readFile });

  expect(config.listen).toEqual({ host: "example.test", port: 2000, trustedProxies: "" });
  expect(sources.get("listen.host")).toEqual({ kind: "file", path: "tollgate.yaml", place: "3:3" });
  expect(sources.get("listen.port")).toEqual({ kind: "environment", name: "PORT" });
  expect(sources.get("admin.port")).toEqual({ kind: "default" });
});

test("the option names the file before the variable does, and a file that was named must exist", () => {
  const readFile = files({ "a.yaml": "log: {level: warn}", "b.yaml": "log: {level: debug}" });
  const environment = { TOLLGATE_CONFIG: "b.yaml" };

  expect(loadConfig({ options: { config: "a.yaml" }, environment, readFile }).config.log.level).toBe("warn");
  expect(loadConfig({ environment, readFile }).config.log.level).toBe("debug");
  const { problems } = refusalOf(() => loadConfig({ environment: { TOLLGATE_CONFIG: "c.yaml" }, readFile }));
  expect(problems).toEqual([
    { path: null, source: "c.yaml", message: "cannot be read (ENOENT). The path is from TOLLGATE_CONFIG." },
  ]);
});

test("all problems are listed, each with its setting, its place and what is expected", () => {
  const readFile = files({
    "tollgate.yaml": "listn:\n  port: 1\nlimits:\n  body_bytes: lots\n  json_depth: 1000000\ndrain: soon\n",
  });
  const environment = { PORT: "http", LOG_LEVEL: "loud", TOLLGATE_LIMIT_BODY_BYTES: "1" };

  const { problems, message } = refusalOf(() => loadConfig({ environment, readFile }));

  expect(problems.map(({ path, source }) => [path, source])).toEqual([
    [null, "tollgate.yaml:1:1"],
    ["drain", "tollgate.yaml:6:1"],
    [null, "TOLLGATE_LIMIT_BODY_BYTES"],
    ["listen.port", "PORT"],
    ["limits.body_bytes", "tollgate.yaml:4:3"],
    ["limits.json_depth", "tollgate.yaml:5:3"],
    ["log.level", "LOG_LEVEL"],
  ]);
  expect(message).toContain('PORT: listen.port: expected a whole number from 0 to 65,535, got "http".');
  expect(message).toContain("did you mean listen?");
  expect(message).toContain("did you mean TOLLGATE_LIMITS_BODY_BYTES?");
});

test("an empty variable counts as not set, and digits alone make a number", () => {
  expect(loadConfig({ environment: { PORT: "" }, readFile: noFiles }).config.listen.port).toBe(8080);
  for (const PORT of ["0x50", "8e3", "80.0", " 80", "-1", "65536"]) {
    expect(refusalOf(() => loadConfig({ environment: { PORT }, readFile: noFiles })).problems).toHaveLength(1);
  }
});

test("a secret is read from the file its _FILE variable names, without the last line break", () => {
  const environment = { TOLLGATE_ADMIN_TOKEN_FILE: "/run/token", DATABASE_URL_FILE: "/run/url" };
  const readFile = files({ "/run/token": `${CANARY}\n`, "/run/url": "postgres://u:p@db/x\r\n" });

  const { config, sources } = loadConfig({ environment, readFile });

  expect(config.admin.token?.reveal()).toBe(CANARY);
  expect(config.database.url?.reveal()).toBe("postgres://u:p@db/x");
  expect(sources.get("admin.token")).toEqual({ kind: "environment", name: "TOLLGATE_ADMIN_TOKEN_FILE" });
});

test("a secret given both ways, or in a file that is empty or missing, is refused by the variable's name", () => {
  const readFile = files({ "/empty": "\n", "/token": CANARY });
  const environment = {
    TOLLGATE_ADMIN_TOKEN: CANARY,
    TOLLGATE_ADMIN_TOKEN_FILE: "/token",
    DATABASE_URL_FILE: "/empty",
    TOLLGATE_DATABASE_DIRECT_URL_FILE: CANARY,
  };

  const { problems, message } = refusalOf(() => loadConfig({ environment, readFile }));

  expect(problems.map(({ source }) => source)).toEqual([
    "TOLLGATE_ADMIN_TOKEN_FILE",
    "DATABASE_URL_FILE",
    "TOLLGATE_DATABASE_DIRECT_URL_FILE",
  ]);
  expect(message).not.toContain(CANARY);
});

test("a setting that is no secret has no _FILE variable", () => {
  const { problems } = refusalOf(() =>
    loadConfig({ environment: { TOLLGATE_ADMIN_PORT_FILE: "/x" }, readFile: noFiles }),
  );

  expect(problems[0]?.message).toContain("no such setting");
});

test("a secret appears in no text made of the configuration, whether it is accepted or refused", () => {
  const environment = { TOLLGATE_ADMIN_TOKEN: CANARY, DATABASE_URL: `postgres://u:${CANARY}@db/x` };

  const { config, sources } = loadConfig({ environment, readFile: noFiles });
  const rows = describeConfig(config, sources);
  const accepted = [
    JSON.stringify(config),
    inspect(config, { depth: 9, showHidden: true }),
    String(config.admin.token),
    JSON.stringify(rows),
  ];
  const refused = [
    { TOLLGATE_ADMIN_TOKEN: `${CANARY} with spaces` },
    { DATABASE_URL: CANARY },
    { TOLLGATE_PUBLIC_URL: `https://u:${CANARY}@example.test` },
    { TOLLGATE_CREDIT_USD: CANARY },
  ].map((environment) =>
    inspect(
      refusalOf(() => loadConfig({ environment, readFile: noFiles })),
      { depth: 9 },
    ),
  );
  const inFiles = [
    `admin: {token:${CANARY}}`,
    `admin:\n  token: ${CANARY} : x`,
    `admin:\n\ttoken: "${CANARY}`,
    CANARY,
    `admin: ${CANARY}`,
  ].map((text) =>
    inspect(
      refusalOf(() => loadConfig({ environment: {}, readFile: files({ "tollgate.yaml": text }) })),
      { depth: 9 },
    ),
  );

  for (const text of [...accepted, ...refused, ...inFiles]) expect(text).not.toContain(CANARY);
  expect(rows.find((row) => row.path === "admin.token")).toMatchObject({
    value: "[secret]",
    source: "TOLLGATE_ADMIN_TOKEN",
  });
  expect(rows.find((row) => row.path === "database.direct_url")).toMatchObject({ value: "unset" });
});

test("what Kubernetes sets for a service of our name is not taken for a setting", () => {
  const environment = {
    TOLLGATE_SERVICE_HOST: "10.0.0.1",
    TOLLGATE_SERVICE_PORT_HTTP: "8080",
    TOLLGATE_PORT: "tcp://10.0.0.1:8080",
    TOLLGATE_PORT_8080_TCP_ADDR: "10.0.0.1",
    TOLLGATE_ADMIN_PORT: "tcp://10.0.0.7:8081",
    TOLLGATE_ADMIN_SERVICE_HOST: "10.0.0.7",
  };

  expect(loadConfig({ environment, readFile: noFiles }).config.admin.port).toBe(8081);
  expect(
    refusalOf(() => loadConfig({ environment: { TOLLGATE_PORT: "80" }, readFile: noFiles })).problems,
  ).toHaveLength(1);
});

test("the variable in which the documentation keeps a client's key is not taken for a setting", () => {
  const environment = {
    TOLLGATE_KEY: "tgc_secret",
    TOLLGATE_BASE_URL: "http://127.0.0.1:8080",
    TOLLGATE_ADMIN_URL: "http://127.0.0.1:8081",
  };

  expect(() => loadConfig({ environment, readFile: noFiles })).not.toThrow();
});

test("a command names the settings it cannot do without", () => {
  const loaded = loadConfig({ environment: { DATABASE_URL: "postgres://db/x" }, readFile: noFiles });

  requireSettings(loaded, ["database.url"]);
  const { problems } = refusalOf(() => requireSettings(loaded, ["database.url", "admin.token"]));
  expect(problems).toEqual([
    {
      path: "admin.token",
      source: "TOLLGATE_ADMIN_TOKEN",
      message: "is required for this command. Set TOLLGATE_ADMIN_TOKEN, or admin.token in the file.",
    },
  ]);
});

test("a credit may be worth any exact decimal above zero", () => {
  const worth = (value: string) =>
    loadConfig({ environment: { TOLLGATE_CREDIT_USD: value }, readFile: noFiles }).config.creditUsd;

  expect(worth("0.01")).toBe("0.01");
  for (const value of ["0", "0.0", "1e3", ".5", "-1", "1.0000000001"]) expect(() => worth(value)).toThrow(ConfigError);
});

test("a file of more than a mebibyte is not read", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-config-"));
  const path = join(folder, "tollgate.yaml");
  writeFileSync(path, "#".repeat(1_048_577));

  const { problems } = refusalOf(() => loadConfig({ options: { config: path }, environment: {} }));

  rmSync(folder, { recursive: true });
  expect(problems[0]?.message).toBe("cannot be read (larger than 1,048,576 bytes). The path is from --config.");
});

test.each<[name: string, value: string, message: string]>([
  [
    "TOLLGATE_LIMITS_BODY_TIMEOUT_MS",
    "9999",
    "must be at least limits.headers_timeout_ms (10000), because the headers come first; got 9999.",
  ],
  [
    "TOLLGATE_LIMITS_HEADERS_TIMEOUT_MS",
    "300001",
    "must be at most limits.body_timeout_ms (300000), because the headers come first; got 300001.",
  ],
])(
  "headers cannot have more time than the request they are part of: %s=%s is refused by name",
  (name, value, message) => {
    const { problems } = refusalOf(() => loadConfig({ environment: { [name]: value }, readFile: noFiles }));

    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ source: name, message });
    const both = { TOLLGATE_LIMITS_BODY_TIMEOUT_MS: "5000", TOLLGATE_LIMITS_HEADERS_TIMEOUT_MS: "5000" };
    expect(loadConfig({ environment: both, readFile: noFiles }).config.limits.bodyTimeoutMs).toBe(5_000);
  },
);

test.each(["10.0.0.0/33", "proxy.internal", "10.0.0.1;10.0.0.2"])("%s names no trusted proxy", (text) => {
  const environment = { TOLLGATE_LISTEN_TRUSTED_PROXIES: text };

  expect(() => loadConfig({ environment, readFile: () => "" })).toThrow(/TOLLGATE_LISTEN_TRUSTED_PROXIES/);
});

test("a metrics token that equals the admin token is refused, and neither is shown", () => {
  const environment = { TOLLGATE_ADMIN_TOKEN: CANARY, TOLLGATE_ADMIN_METRICS_TOKEN: CANARY };
  const { problems, message } = refusalOf(() => loadConfig({ environment, readFile: noFiles }));

  expect(problems).toMatchObject([{ path: "admin.metrics_token", source: "TOLLGATE_ADMIN_METRICS_TOKEN" }]);
  expect(message).not.toContain(CANARY);
});

test("what OpenTelemetry's own tools put into the environment of every service does not keep the gateway from starting", () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x, tenant=a",
    OTEL_SERVICE_NAME: "gateway (blue)",
    OTEL_TRACES_SAMPLER_ARG: "endpoint=http://localhost:14250,pollingIntervalMs=5000",
  };

  const { config } = loadConfig({ environment, readFile: noFiles });

  expect(config.traces).toMatchObject({
    endpoint: "http://collector:4318/",
    serviceName: "gateway (blue)",
    sample: "1",
  });
});
