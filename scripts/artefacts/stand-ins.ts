import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Engine } from "./engine.ts";

const ROOT = join(import.meta.dirname, "../..");
const SUITE = "trixie";
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

/**
 * Images that pages name and that come from a registry. Where none can be reached, these stand in for them under the same names,
 * made of Debian's packages: Debian with Node and npm, PostgreSQL and Prometheus.
 */
export function provideImages(engine: Engine): void {
  const base = provideBase(engine);
  const containerfile = readFileSync(join(ROOT, "deploy/image/Containerfile"), "utf8");
  const [, builder = ""] = /^ARG BUILDER=(\S+)$/m.exec(containerfile) ?? [];
  provide(engine, base, { name: builder, text: BUILDER, fill: fillBuilder });
  const compose = readFileSync(join(ROOT, "deploy/compose/compose.yaml"), "utf8");
  for (const [, name = ""] of compose.matchAll(/^ +image: \$\{\w+:-(docker\.io\/[^@}]+)@/gm)) {
    if (/\/postgres:/.test(name)) provide(engine, base, { name, text: POSTGRES, fill: fillPostgres });
    else if (/\/prometheus:/.test(name)) provide(engine, base, { name, text: PROMETHEUS, fill: () => undefined });
    else throw new Error(`nothing stands in for the image ${name}`);
  }
}

type StandIn = { name: string; text: string; fill: (context: string) => void };

function provide(engine: Engine, base: string, { name, text, fill }: StandIn): void {
  if (engine.tryPodman("image", "exists", name).status === 0) return;
  console.log(`artefacts: making a stand-in for ${name} from Debian's packages`);
  const context = mkdtempSync(join(engine.cacheFolder, "context-"));
  try {
    fill(context);
    writeFileSync(join(context, "Containerfile"), `FROM ${base}\n${text}`);
    engine.podman("build", "-q", "-t", name, "-f", join(context, "Containerfile"), context);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}

function provideBase(engine: Engine): string {
  const name = `localhost/debian:${SUITE}`;
  if (engine.tryPodman("image", "exists", name).status === 0) return name;
  console.log(`artefacts: making a Debian (${SUITE}) with debootstrap`);
  const archive = join(engine.cacheFolder, `${SUITE}.tar`);
  if (!existsSync(archive)) {
    const folder = mkdtempSync(join(engine.cacheFolder, "root-"));
    execFileSync("debootstrap", ["--variant=minbase", "--include=libatomic1", SUITE, folder], { stdio: "ignore" });
    execFileSync("tar", ["-C", folder, "--exclude=./proc/*", "--exclude=./sys/*", "-cf", `${archive}.part`, "."]);
    renameSync(`${archive}.part`, archive);
    rmSync(folder, { recursive: true, force: true });
  }
  engine.podman("import", "-q", archive, name);
  return name;
}

/** The machine's own certificate authorities: its way to a registry may need them. They reach no other image. */
const BUILDER = `COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY authorities.crt ${AUTHORITIES}
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ENV NODE_EXTRA_CA_CERTS=${AUTHORITIES} PATH=/usr/local/bin:/usr/bin:/bin
`;

function fillBuilder(context: string): void {
  copyFileSync(process.execPath, join(context, "node"));
  const npm = execFileSync("which", ["npm"], { encoding: "utf8" }).trim();
  cpSync(join(realpathSync(npm), "../.."), join(context, "npm"), { recursive: true });
  if (existsSync(AUTHORITIES)) copyFileSync(AUTHORITIES, join(context, "authorities.crt"));
  else writeFileSync(join(context, "authorities.crt"), "");
}

/** Reads the variables that the official image documents, as far as the pages use them. */
const POSTGRES = `RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql
COPY entrypoint.sh /entrypoint.sh
RUN mkdir -p /var/lib/postgresql/18 /run/postgresql && chown postgres:postgres /var/lib/postgresql/18 /run/postgresql
ENV PGDATA=/var/lib/postgresql/18/docker PATH=/usr/lib/postgresql/17/bin:/usr/bin:/bin
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
USER postgres
ENTRYPOINT ["/entrypoint.sh"]
CMD ["postgres"]
`;

function fillPostgres(context: string): void {
  const script = `#!/bin/bash
set -e
password=\${POSTGRES_PASSWORD:-$(cat "\${POSTGRES_PASSWORD_FILE:-/dev/null}")}
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username="$POSTGRES_USER" --pwfile=<(printf %s "$password") --auth=scram-sha-256 --no-sync >/dev/null
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl -w -o "-c listen_addresses='' -c unix_socket_directories=/tmp" start >/dev/null
  PGPASSWORD=$password psql -h /tmp -U "$POSTGRES_USER" -d postgres -qc "create database \\"$POSTGRES_DB\\""
  pg_ctl -m fast -w stop >/dev/null
fi
exec "$@" -c 'listen_addresses=*'
`;
  writeFileSync(join(context, "entrypoint.sh"), script, { mode: 0o755 });
}

/** Its command line is that of the official image, whose program is at the same place. */
const PROMETHEUS = `RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends prometheus
RUN ln -s /usr/bin/prometheus /bin/prometheus 2>/dev/null || true; mkdir -p /prometheus && chown nobody:nogroup /prometheus
VOLUME /prometheus
USER nobody
ENTRYPOINT ["/bin/prometheus"]
`;
