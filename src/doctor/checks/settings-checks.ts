import { isLoopback } from "../../core/network-list.ts";
import { type Check, failed, ok, skipped, warning } from "../check.ts";
import { configOf } from "../patient.ts";

/** Of random characters, as many as nobody guesses; the setting takes half of it. */
const STRONG_TOKEN = 32;
const FEW_CHARACTERS = 10;
const READABLE_BY_OTHERS = 0o004;

export const SETTINGS_CHECKS: readonly Check[] = [
  {
    id: "settings-load",
    title: "settings",
    finds: "The settings file or an environment variable cannot be read or is not valid.",
    fix: "Correct the settings that are named. `tollgate config show` lists every setting with its source.",
    run: ({ config, settingsFile, settingsProblem, explain }) =>
      config === null
        ? failed(explain(settingsProblem))
        : ok(settingsFile === null ? "read from the environment; no settings file" : `read from ${settingsFile}`),
  },
  {
    id: "settings-required",
    title: "required settings",
    finds: "`database.url` or `admin.token` is not set, so `tollgate serve` does not start.",
    fix: "Set DATABASE_URL and TOLLGATE_ADMIN_TOKEN, for example with `openssl rand -hex 32`.",
    after: ["settings-load"],
    run: (patient) => {
      if (patient.isDev) return ok("`tollgate dev` runs in this folder and needs none");
      const { database, admin } = configOf(patient);
      const missing = [database.url === null && "database.url", admin.token === null && "admin.token"].filter(Boolean);
      return missing.length === 0
        ? ok("database.url and admin.token are set")
        : failed(`${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not set`);
    },
  },
  {
    id: "settings-admin",
    title: "admin listener",
    finds: "The admin listener is reachable from other machines and its token is short or repetitive.",
    fix: "Set admin.host to 127.0.0.1, or generate a stronger admin.token with `openssl rand -hex 32`.",
    after: ["settings-load"],
    run: (patient) => {
      const { host, port, token } = configOf(patient).admin;
      const place = `${host}:${port}`;
      if (token === null) return skipped("admin.token is not set");
      if (isLoopback(host)) return ok(`on ${place}, this machine only`);
      const secret = token.reveal();
      const characters = new Set(secret).size;
      if (secret.length < STRONG_TOKEN || characters < FEW_CHARACTERS)
        return warning(
          `on ${place}, and its token has ${secret.length} characters, ${characters} of them different; use at least ${STRONG_TOKEN} random ones`,
        );
      return ok(`on ${place}, with a strong token; keep this port off the internet`);
    },
  },
  {
    id: "settings-files",
    title: "secret files",
    finds: "A file with secrets can be read by every user of the machine.",
    fix: "Run `chmod 600 FILE`, as the user that runs Tollgate.",
    after: ["settings-load"],
    run: ({ secretFiles, host }) => {
      const open = secretFiles.filter((file) => ((host.modeOf(file) ?? 0) & READABLE_BY_OTHERS) !== 0);
      if (open.length > 0)
        return open.map((file) => warning(`every user of this machine can read ${file}`, `Run \`chmod 600 ${file}\`.`));
      return ok(secretFiles.length === 0 ? "none; secrets come from the environment" : "readable by their owner only");
    },
  },
  {
    id: "settings-drain",
    title: "drain deadline",
    finds: "`drain.deadline_ms` is not above `limits.stream_deadline_ms`, so a restart cuts streams.",
    fix: "Set drain.deadline_ms above limits.stream_deadline_ms, and the stop timeout of systemd or Kubernetes above both.",
    after: ["settings-load"],
    run: (patient) => {
      const { drain, limits } = configOf(patient);
      const [waits, runs] = [drain.deadlineMs / 1_000, limits.streamDeadlineMs / 1_000];
      return waits > runs
        ? ok(`${waits} s, above the longest stream (${runs} s)`)
        : warning(`${waits} s, but a stream may run for ${runs} s: a restart would cut it`);
    },
  },
  {
    id: "settings-sign-in",
    title: "client sign-in",
    finds:
      "People can sign in with clients, but `public_url` is not set, or Claude Code with `tollgate token` as its command gets 401 because it sends the token in both credential headers.",
    fix: "Set auth.accept_equal_credentials: on.",
    after: ["settings-load"],
    run: (patient) => {
      const { signIn, auth, publicUrl } = configOf(patient);
      if (signIn.issuer === null) return ok("off; no identity provider is set");
      const findings = [
        publicUrl === null &&
          warning(
            "public_url is not set: clients accept only addresses of the origin that they were given",
            "Set public_url to the address that clients use.",
          ),
        auth.acceptEqualCredentials === "off" &&
          warning(
            "Claude Code with `tollgate token` as its command gets 401: it sends the token in both credential headers",
          ),
      ].filter((finding) => finding !== false);
      return findings.length === 0 ? ok(`on, at ${publicUrl}; equal credentials are accepted`) : findings;
    },
  },
];
