import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { childEnvironment } from "../support/child-environment.ts";
import { type Installed, installOnce, runInstaller } from "../support/install-once.ts";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";

export const KEYCLOAK_VERSION = "26.7.0";

export type KeycloakServer = {
  url: string;
  password: string;
  /** How long it took to start. */
  startMs: number;
  /** Cuts it off in the middle of whatever it does, and lets it go on. */
  /** Null: it is somebody else's. */
  freeze: (() => void) | null;
  thaw: (() => void) | null;
  stop: () => Promise<void>;
};

const INSTALL_TIMEOUT_MS = 600_000;
/** It compiles itself at its first start. */
const START_TIMEOUT_MS = 600_000;

/** The distribution, through the machine's own Maven. */
export function installKeycloak(): Promise<Installed> {
  const artifact = `org.keycloak:keycloak-quarkus-dist:${KEYCLOAK_VERSION}:zip`;
  return installOnce({
    name: "keycloak",
    contents: artifact,
    install: async (folder) => {
      const run = (...words: [string, ...string[]]): Promise<void> =>
        runInstaller({ words, cwd: folder, timeoutMs: INSTALL_TIMEOUT_MS });
      await run("java", "-version");
      await run("mvn", "-B", "-q", "dependency:unpack", `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`);
    },
  });
}

/**
 * A server on loopback, whose database stays in its folder: one run at a time. It is `localhost`, so that it is another site than a gateway
 * on 127.0.0.1.
 */
export async function startKeycloak(folder: string): Promise<KeycloakServer> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const password = "the administrator of a test";
  const startedMs = performance.now();
  const home = join(folder, `keycloak-${KEYCLOAK_VERSION}`);
  const words = [join(home, "bin/kc.sh"), "start-dev", "--http-host=127.0.0.1", `--http-port=${port}`];
  const child = spawn("sh", words, {
    env: {
      ...childEnvironment(),
      JAVA_OPTS_APPEND: "-Xmx512m",
      KC_BOOTSTRAP_ADMIN_USERNAME: "admin",
      KC_BOOTSTRAP_ADMIN_PASSWORD: password,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  let output = "";
  const keep = (bytes: Buffer): void => void (output = (output + bytes.toString()).slice(-4_000));
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const stop = async (): Promise<void> => {
    child.kill("SIGCONT");
    child.kill("SIGTERM");
    await ended;
  };
  const answers = (): Promise<boolean> =>
    fetch(`${url}/realms/master`).then(
      ({ ok }) => ok,
      () => false,
    );
  try {
    await until(async () => child.exitCode !== null || (await answers()), "Keycloak answers", START_TIMEOUT_MS);
    if (child.exitCode !== null) throw new Error(`Keycloak ended with ${child.exitCode}: ${output}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    password,
    startMs: performance.now() - startedMs,
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    stop,
  };
}

/** One that somebody else started: it is used and left as it is. */
export const runningAt = (url: string): KeycloakServer => ({
  url,
  password: process.env["KEYCLOAK_PASSWORD"] ?? "admin",
  startMs: 0,
  freeze: null,
  thaw: null,
  stop: () => Promise.resolve(),
});
