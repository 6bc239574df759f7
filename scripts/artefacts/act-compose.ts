import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { COMPOSE_FOLDER, readCompose, type Service } from "../../tests/support/compose-file.ts";
import { until } from "../../tests/support/until.ts";
import type { Engine } from "./engine.ts";

const PATIENCE_MS = 300_000;
const NETWORK = "tollgate-acted";

/**
 * Acts out the compose file: each service becomes one container with the same image, command, environment, mounts and rights, in
 * the order of `depends_on`. Returns the time to the first paid token, and the services in the order of their start.
 */
export async function actCompose(engine: Engine, port: number) {
  const { services, secrets } = readCompose((text) => text.replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1"));
  const folder = mkdtempSync(join(tmpdir(), "tollgate-compose-"));
  const startedAtMs = performance.now();
  writeSecrets(folder, Object.keys(secrets));
  const order: string[] = [];
  const start = (name: string, service: Service): void => {
    const option = (flag: string, values: readonly string[] = []) => values.flatMap((value) => [flag, value]);
    const mounts = (service.volumes ?? []).map((volume) => {
      const [source = "", ...rest] = volume.split(":");
      const place = source.startsWith("./secrets/")
        ? join(folder, source.slice("./secrets/".length))
        : resolve(COMPOSE_FOLDER, source);
      return source.startsWith(".") ? [place, ...rest].join(":") : `acted-${volume}`;
    });
    engine.podman(
      "run",
      "-d",
      "--name",
      `acted-${name}`,
      "--network",
      `${NETWORK}:alias=${name}`,
      ...option(
        "-e",
        Object.entries(service.environment ?? {}).map(([key, value]) => `${key}=${value}`),
      ),
      ...option("-v", [...mounts, ...(service.secrets ?? []).map((s) => `${join(folder, s)}:/run/secrets/${s}:ro`)]),
      ...option("--cap-drop", service.cap_drop),
      ...option(
        "--security-opt",
        service.security_opt?.map((rule) => rule.replace(":true", "")),
      ),
      ...option("--restart", service.restart === undefined ? [] : [service.restart]),
      ...(service.read_only === true ? ["--read-only"] : []),
      ...(name === "gateway" ? ["-p", `127.0.0.1:${port}:8080`] : []),
      // A stand-in has the name and the version, and a digest of its own.
      service.image.replace(/@sha256:\w+$/, ""),
      ...(service.command ?? []),
    );
    order.push(name);
  };
  const holds = (name: string, condition: string): boolean => {
    if (condition === "service_healthy")
      return (
        engine.tryPodman("exec", `acted-${name}`, ...(services[name]?.healthcheck?.test.slice(1) ?? [])).status === 0
      );
    const state = engine.podman("inspect", "--format", "{{.State.Status}} {{.State.ExitCode}}", `acted-${name}`);
    return state === "exited 0";
  };
  try {
    engine.podman("network", "create", NETWORK);
    const waiting = new Map(Object.entries(services));
    while (waiting.size > 0) {
      const ready = [...waiting].filter(([, { depends_on: others = {} }]) =>
        Object.keys(others).every((other) => !waiting.has(other)),
      );
      if (ready.length === 0) throw new Error(`depends_on is a circle: ${[...waiting.keys()].join(", ")}`);
      for (const [name, service] of ready) {
        for (const [other, { condition }] of Object.entries(service.depends_on ?? {}))
          await until(() => holds(other, condition), `${other}: ${condition}`, PATIENCE_MS);
        start(name, service);
        waiting.delete(name);
      }
    }
    await until(() => holds("gateway", "service_healthy"), "the gateway is healthy", PATIENCE_MS);
    await until(() => holds("simulated-models", "service_completed_successfully"), "models", PATIENCE_MS);
    const created = engine.podman("exec", "acted-gateway", "tollgate", "keys", "create", "--credit", "5");
    const [secret = ""] = /tgc_[A-Za-z0-9]{30,}/.exec(created) ?? [];
    const firstEvent = await firstEventOf(port, secret);
    return { firstTokenMs: performance.now() - startedAtMs, order, firstEvent };
  } finally {
    for (const name of Object.keys(services)) engine.tryPodman("rm", "-f", "-v", "-t", "5", `acted-${name}`);
    for (const volume of ["acted-postgres", "acted-prometheus"]) engine.tryPodman("volume", "rm", "-f", volume);
    engine.tryPodman("network", "rm", "-f", NETWORK);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As docs/deploy/compose.md makes them. */
function writeSecrets(folder: string, names: readonly string[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const values = Object.fromEntries(names.map((name) => [name, randomBytes(24).toString("hex")]));
  values["database_url"] = `postgres://tollgate:${values["postgres_password"]}@postgres:5432/tollgate`;
  for (const [name, value] of Object.entries(values)) writeFileSync(join(folder, name), `${value}\n`, { mode: 0o644 });
}

async function firstEventOf(port: number, secret: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sim-steady", stream: true, messages: [{ role: "user", content: "Hello" }] }),
  });
  const first = await response.body?.getReader().read();
  const event = Buffer.from(first?.value ?? []).toString();
  if (response.status !== 200 || !event.startsWith("data: {")) throw new Error(`${response.status} ${event}`);
  return event;
}
