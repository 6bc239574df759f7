import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Installed, installOnce, runInstaller } from "../../support/install-once.ts";
import { whyUnavailable } from "../../support/postgres.ts";

/** The programs around PostgreSQL, where the servers' user can run them. */
export type Programs = {
  etcd: string;
  haproxy: string;
  pgbouncer: string;
  /** What a program of Debian needs to find the libraries that came with it. */
  libraries: Record<string, string>;
  /** Starts Patroni with a configuration file. */
  patroni: { command: string; args: readonly string[]; environment: Record<string, string> };
};

/** Of the system, because the servers' user may not be able to read another one. */
const PYTHON = "/usr/bin/python3";
const PYTHON_PACKAGES = ["patroni[etcd3]==4.1.5", "psycopg[binary]==3.3.8"];
/** The three programs, and the libraries of theirs that a small system lacks. */
const DEBIAN_PACKAGES = ["etcd-server", "haproxy", "pgbouncer"];
const DEBIAN_LIBRARIES = ["liblua5.3-0", "libopentracing1", "libopentracing-c-wrapper0", "libc-ares2"];
const INSTALL_TIMEOUT_MS = 300_000;

/** Why the run cannot be made here. */
export class CannotInstall extends Error {}

/** Installs into the cache of this machine once, nothing outside of it, and copies what is there into a folder of this run. */
export async function installPrograms(folder: string): Promise<Programs> {
  const missing = whyUnavailable("15");
  if (missing !== null) throw new CannotInstall(missing);
  const debian = folderOf("the Debian packages", await installDebian());
  const python = folderOf("Patroni", await installPatroni());
  const copies = { debian: join(folder, "debian"), python: join(folder, "python") };
  mkdirSync(folder, { recursive: true });
  cpSync(debian, copies.debian, { recursive: true, verbatimSymlinks: true });
  cpSync(python, copies.python, { recursive: true, verbatimSymlinks: true });
  return {
    etcd: join(copies.debian, "usr/bin/etcd"),
    haproxy: join(copies.debian, "usr/sbin/haproxy"),
    pgbouncer: join(copies.debian, "usr/sbin/pgbouncer"),
    libraries: { LD_LIBRARY_PATH: librariesOf(copies.debian) },
    patroni: {
      command: PYTHON,
      args: ["-m", "patroni"],
      environment: { PYTHONPATH: copies.python, PYTHONDONTWRITEBYTECODE: "1" },
    },
  };
}

function folderOf(what: string, installed: Installed): string {
  if (installed.folder === null) throw new CannotInstall(`${what} cannot be installed: ${installed.missing}`);
  return installed.folder;
}

/** Debian keeps libraries in a folder named after the machine, such as `x86_64-linux-gnu`. */
const librariesOf = (debian: string): string =>
  readdirSync(join(debian, "usr/lib"))
    .filter((name) => name.endsWith("-linux-gnu"))
    .map((name) => join(debian, "usr/lib", name))
    .join(":");

/** Downloads packages and unpacks them, which needs no rights: nothing of the system is touched. */
const installDebian = (): Promise<Installed> =>
  installOnce({
    name: "debian-failover",
    contents: [DEBIAN_PACKAGES, DEBIAN_LIBRARIES],
    install: async (folder) => {
      const run = (...words: [string, ...string[]]): Promise<void> =>
        runInstaller({ words, cwd: folder, timeoutMs: INSTALL_TIMEOUT_MS });
      await run("apt-get", "download", "-q", ...DEBIAN_PACKAGES, ...DEBIAN_LIBRARIES);
      await run("sh", "-c", 'for package in *.deb; do dpkg-deb -x "$package" . && rm "$package"; done');
      await run("chmod", "-R", "a+rX", ".");
    },
  });

const installPatroni = (): Promise<Installed> =>
  installOnce({
    name: "python-patroni",
    contents: PYTHON_PACKAGES,
    install: async (folder) => {
      const pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", "."] as const;
      await runInstaller({ words: [...pip, ...PYTHON_PACKAGES], cwd: folder, timeoutMs: INSTALL_TIMEOUT_MS });
      await runInstaller({ words: ["chmod", "-R", "a+rX", "."], cwd: folder, timeoutMs: INSTALL_TIMEOUT_MS });
    },
  });
