import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../../src/config/config-error.ts";
import { createSecret } from "../../../src/core/secret/secret.ts";
import { ADMIN_TOKEN, GIBIBYTE } from "./installation.ts";
import { onHost, type WayToBreak } from "./way-to-break.ts";

const SIGN_IN = {
  TOLLGATE_SIGN_IN_ISSUER: "https://id.example.com",
  TOLLGATE_SIGN_IN_CLIENT_ID: "tollgate",
  TOLLGATE_SIGN_IN_GROUPS: "* -> member of Acme",
  TOLLGATE_CREDENTIAL_KEY: Buffer.alloc(32, 7).toString("base64"),
};

/** In the settings, and on the machine that the gateway runs on. */
export const HOST_WAYS: readonly WayToBreak[] = [
  {
    breaks: "the settings file",
    patient: () => ({
      config: null,
      settingsProblem: new ConfigError([
        { path: "listen.port", source: "tollgate.yaml:2", message: "expected a whole number." },
      ]),
    }),
    expected: {
      id: "settings-load",
      status: "failed",
      message: /tollgate\.yaml:2: listen\.port/,
      fix: /tollgate config show/,
    },
  },
  {
    breaks: "a setting that is required",
    patient: ({ config }) => ({ config: config && { ...config, admin: { ...config.admin, token: null } } }),
    expected: {
      id: "settings-required",
      status: "failed",
      message: /^admin\.token is not set$/,
      fix: /openssl rand -hex 32/,
    },
  },
  {
    breaks: "the token of an admin listener that everybody reaches",
    patient: ({ config }) => ({
      config: config && {
        ...config,
        admin: { ...config.admin, host: "0.0.0.0", token: createSecret("aaaaaaaaaaaaaaaa") },
      },
    }),
    expected: {
      id: "settings-admin",
      status: "warning",
      message: /0\.0\.0\.0:8081.*16 characters, 1 of them different/,
      fix: /admin\.host to 127\.0\.0\.1/,
    },
  },
  {
    breaks: "the mode of a file with a secret",
    patient: (_, { folder }) => {
      const file = join(folder, "token");
      writeFileSync(file, ADMIN_TOKEN);
      chmodSync(file, 0o644);
      return { secretFiles: [file] };
    },
    expected: {
      id: "settings-files",
      status: "warning",
      message: /every user of this machine can read .*token$/,
      fix: /chmod 600 .*token/,
    },
  },
  {
    breaks: "the drain deadline",
    environment: { TOLLGATE_DRAIN_DEADLINE_MS: "30000" },
    expected: {
      id: "settings-drain",
      status: "warning",
      message: /^30 s, but a stream may run for 300 s/,
      fix: /drain\.deadline_ms above/,
    },
  },
  {
    breaks: "the helper of Claude Code",
    environment: { ...SIGN_IN, TOLLGATE_PUBLIC_URL: "https://gateway.example.com" },
    expected: {
      id: "settings-sign-in",
      status: "warning",
      message: /^Claude Code with `tollgate token` as its command gets 401/,
      fix: /auth\.accept_equal_credentials: on/,
    },
  },
  {
    breaks: "the address of clients",
    environment: { ...SIGN_IN, TOLLGATE_AUTH_ACCEPT_EQUAL_CREDENTIALS: "on" },
    expected: {
      id: "settings-sign-in",
      status: "warning",
      message: /^public_url is not set/,
      fix: /Set public_url/,
    },
  },
  {
    breaks: "Node.js",
    patient: onHost({ nodeVersion: "24.10.3" }),
    expected: {
      id: "host-node",
      status: "failed",
      message: /^24\.10\.3; 24\.11 or newer is needed$/,
      fix: /Install Node\.js 24\.11/,
    },
  },
  {
    breaks: "the number of workers",
    patient: () => ({ workers: 9 }),
    expected: { id: "host-processors", status: "warning", message: /^9 workers, 8 processors/, fix: /--workers N/ },
  },
  {
    breaks: "the limit of open files",
    patient: onHost({ openFiles: 1_024 }),
    expected: {
      id: "host-files",
      status: "warning",
      message: /may open 1,024; the settings allow for 30,114/,
      fix: /LimitNOFILE/,
    },
  },
  {
    breaks: "the memory of a container",
    patient: onHost({ memoryBytes: GIBIBYTE }),
    expected: {
      id: "host-memory",
      status: "warning",
      message: /^1 GiB; request bodies of 2 workers may take 1 GiB$/,
      fix: /body_budget_bytes/,
    },
  },
  {
    breaks: "the disk",
    patient: onHost({ spaceOf: () => ({ freeBytes: 1_048_576, totalBytes: 100 * GIBIBYTE }) }),
    expected: { id: "host-disk", status: "failed", message: /^1 MiB \(0%\) free for /, fix: /Free some space/ },
  },
  {
    breaks: "a provider of the gateway that runs here",
    patient: () => ({
      askGateway: async () => ({ status: "degraded", reasons: ["The route to m at acme is skipped."] }),
    }),
    expected: { id: "host-gateway", status: "warning", message: /^The route to m at acme/, fix: /failure-modes/ },
  },
  {
    breaks: "the ledger of the gateway that runs here",
    patient: () => ({ askGateway: async () => ({ status: "unavailable", reasons: ["Requests get 503: …"] }) }),
    expected: { id: "host-gateway", status: "failed", message: /^Requests get 503/, fix: /failure-modes/ },
  },
];
