import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { parse } from "yaml";
import { readCatalogueFile } from "../../src/config/read/catalogue-file.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { readCompose } from "../support/compose-file.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const { version } = JSON.parse(read("package.json")) as { version: string };
const containerfile = read("deploy/image/Containerfile");
const page = (name: string): string => read(`docs/deploy/${name}.md`);

const compose = readCompose();
const services = Object.entries(compose.services);
const ours = services.filter(([, { image }]) => image.includes("TOLLGATE_IMAGE"));
const FOLDER = "deploy/compose";

/** As compose fills it where no variable is set. */
const filled = (text: string): string => text.replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1");

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});

test("the image has the Node of .nvmrc, whose hash is pinned for both processors, and the version of the package", () => {
  const node = read(".nvmrc").trim();

  expect(containerfile).toMatch(new RegExp(`^ARG BUILDER=docker\\.io/library/node:${node}-\\w+-slim$`, "m"));
  for (const processor of ["x64", "arm64"])
    expect(read("scripts/node-integrity")).toMatch(new RegExp(`^node-linux-${processor} ${node} sha512-`, "m"));
  expect(containerfile).toContain(`ARG VERSION=${version}\n`);
  expect(filled(compose.services["gateway"]?.image ?? "")).toBe(`tollgate:${version}`);
  expect(page("image")).toContain(`-t tollgate:${version} .`);
});

test("every file that the image copies exists, and its build runs no install script", () => {
  const copied = [...containerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, files = ""]) => files.split(" "));

  expect(copied.length).toBeGreaterThan(8);
  expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const installs = [...containerfile.matchAll(/npm ci.*/g)].map(([line]) => line);
  expect(installs.length).toBe(2);
  expect(installs.filter((line) => !line.includes("--ignore-scripts"))).toEqual([]);
  expect(installs.at(-1)).toContain("--omit=dev");
});

test("the image copies all that its build reads", () => {
  const build = read("scripts/build.ts");
  const modules = [...build.matchAll(/from "\.\/([^"]+)"/g), ...build.matchAll(/"scripts\/([^"]+)"/g)];
  const copied = [...containerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, files = ""]) => files.split(" "));

  expect(modules.length).toBeGreaterThan(2);
  expect(copied).toEqual(expect.arrayContaining(modules.map(([, name]) => `scripts/${name}`)));
  expect(copied).toEqual(expect.arrayContaining(["src", "build", "demo", "console"]));
});

test("the image is built with the commit that its label names", () => {
  const [build = "", last = ""] = containerfile.split("FROM scratch");

  expect(build).toMatch(/^ARG REVISION=unknown\nRUN BUILD_COMMIT="\$\{REVISION\}" .*scripts\/build\.ts/m);
  expect(last).toMatch(/revision="\$\{REVISION\}"/);
});

test("the image runs as a numeric user, needs no shell, and listens where compose and its health check expect it", () => {
  const [, last = ""] = containerfile.split("FROM scratch");

  expect(last).toMatch(/^USER [1-9]\d+:[1-9]\d+$/m);
  expect(last).not.toMatch(/^RUN /m);
  for (const instruction of ["ENTRYPOINT", "CMD", "HEALTHCHECK"])
    expect(last).toMatch(new RegExp(`^${instruction}.*\\["[^\\]]+"\\]$`, "m"));
  const { config } = loadConfig({ environment: { HOST: "0.0.0.0", PORT: "8080" }, readFile: noFile });
  expect(last).toContain(`HOST=${config.listen.host} PORT=${config.listen.port}`);
  expect(last).toContain(`EXPOSE ${config.listen.port} ${config.admin.port}`);
  expect(last).toContain(JSON.stringify(compose.services["gateway"]?.healthcheck?.test.slice(1)).replaceAll(",", ", "));
  expect(compose.services["gateway"]?.ports?.map(filled)).toEqual([
    `127.0.0.1:${config.listen.port}:${config.listen.port}`,
    `127.0.0.1:${config.admin.port}:${config.admin.port}`,
  ]);
});

test.each([
  { answers: 200, body: '{"status":"ok"}', code: 0 },
  { answers: 503, body: '{"status":"unavailable","reasons":["draining"]}', code: 1 },
  { answers: null, body: "ECONNREFUSED", code: 1 },
])("the health check ends with $code when the gateway answers $answers", async ({ answers, body, code }) => {
  const asked: string[] = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(answers ?? 200).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  if (answers === null) {
    server.close();
    await once(server, "close");
  }

  const child = spawn(process.execPath, [join(ROOT, "deploy/image/healthcheck.js")], {
    env: { PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
  const [status] = (await once(child, "close")) as [number];

  expect({ status, asked }).toEqual({ status: code, asked: answers === null ? [] : ["/readyz"] });
  expect(output).toContain(body);
});

test("every variable that compose gives the gateway is a setting or a credential that its catalogue names", () => {
  const credentials = [...read(`${FOLDER}/catalogue.yaml`).matchAll(/credential: env:(\w+)/g)].map(([, name]) => name);
  const { SIMULATED_PROVIDER_KEY: simulated, ...settings } = { ...compose.services["gateway"]?.environment };
  expect(simulated).toBeTruthy();
  expect(read(`${FOLDER}/simulator.yaml`)).toContain("credential: env:SIMULATED_PROVIDER_KEY");
  for (const name of credentials) {
    expect(settings[name ?? ""]).toBe(`\${${name}:-}`);
    delete settings[name ?? ""];
  }
  const environment = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, filled(value)]));
  const secrets: string[] = [];
  const readFile = (path: string): string => {
    if (!path.startsWith("/run/secrets/")) return noFile();
    secrets.push(path.slice("/run/secrets/".length));
    return path.endsWith("database_url") ? "postgres://tollgate:secret@postgres:5432/tollgate" : path.padEnd(48, "0");
  };
  const { sources } = loadConfig({ environment, readFile });

  const set = [...sources].filter(([, source]) => source.kind === "environment");
  expect(set.length).toBe(Object.keys(environment).length);
  expect(secrets.toSorted()).toEqual((compose.services["gateway"]?.secrets ?? []).toSorted());
});

test("what a service of compose refers to is there: services, secrets, volumes and files", () => {
  const missing = services.flatMap(([name, service]) => [
    ...Object.keys(service.depends_on ?? {})
      .filter((other) => !(other in compose.services))
      .map((other) => `${name}: service ${other}`),
    ...(service.secrets ?? []).filter((secret) => !(secret in compose.secrets)).map((secret) => `${name}: ${secret}`),
    ...(service.volumes ?? [])
      .map((volume) => volume.split(":")[0] ?? "")
      .filter((source) => !(source in compose.volumes) && !source.startsWith("./secrets/"))
      .filter((source) => !source.startsWith(".") || !existsSync(join(ROOT, FOLDER, source)))
      .map((source) => `${name}: ${source}`),
  ]);
  const written = Object.values(compose.secrets).map(({ file }) => file.slice("./".length));

  expect(services.length).toBeGreaterThan(5);
  expect(missing).toEqual([]);
  expect(written.filter((file) => !page("compose").includes(`> ${file}`))).toEqual([]);
});

test("the commands of compose exist, and what runs once is waited for", () => {
  const commands = new Set(
    [...read("docs/reference/commands.md").matchAll(/^## tollgate (.+)$/gm)].map(([, name]) => name),
  );
  const known = (words: readonly string[]): boolean =>
    commands.has(words[0]) || commands.has(words.slice(0, 2).join(" "));
  const awaited = services.flatMap(([, { depends_on: others = {} }]) => Object.entries(others));

  expect(ours.filter(([, { command }]) => !known(command ?? [])).map(([name]) => name)).toEqual([]);
  expect(awaited).toContainEqual(["migrate", { condition: "service_completed_successfully" }]);
  expect(awaited).toContainEqual(["postgres", { condition: "service_healthy" }]);
});

test("images from a registry have a version and a digest, and a variable that replaces them", () => {
  const others = services.filter(([, { image }]) => !image.includes("TOLLGATE_IMAGE"));
  const pinned = /^\$\{([A-Z]+_IMAGE):-docker\.io\/[a-z/]+:v?\d+\.\d[\d.]*@sha256:[0-9a-f]{64}\}$/;

  expect(others.length).toBeGreaterThan(1);
  for (const [name, { image }] of others) {
    const [, variable = "none"] = pinned.exec(image) ?? [];
    expect({ name, image }).toEqual({ name, image: expect.stringMatching(pinned) as string });
    expect(page("compose")).toContain(`\`${variable}\``);
  }
});

test("starting the services applies no catalogue, so changes of the console stay", () => {
  const applies = services.filter(([, { command }]) => command?.join(" ").startsWith("catalogue apply"));
  const started = services.filter(([, { profiles = [] }]) => profiles.length === 0 || profiles.includes("simulator"));
  const awaited = started.flatMap(([, { depends_on: others = {} }]) => Object.keys(others));

  expect(applies.map(([name]) => name)).toEqual(["catalogue", "simulated-models"]);
  expect(started.map(([name]) => name)).toContain("simulator");
  for (const [name] of applies) {
    expect(started.map(([other]) => other)).not.toContain(name);
    expect(awaited).not.toContain(name);
    expect(page("compose")).toContain(`docker compose run --rm ${name}\n`);
  }
});

test("every container of the gateway has a read-only root and no privileges, and time to drain", () => {
  const open = ours.filter(
    ([, service]) =>
      service.read_only !== true ||
      service.cap_drop?.join() !== "ALL" ||
      service.security_opt?.join() !== "no-new-privileges:true",
  );
  const { config } = loadConfig({ environment: {}, readFile: noFile });
  const graceMs = Number.parseInt(compose.services["gateway"]?.stop_grace_period ?? "", 10) * 1_000;

  expect(open.map(([name]) => name)).toEqual([]);
  // `tollgate serve --workers` gives the last settlements 30 s after the drain.
  expect(graceMs).toBeGreaterThan(config.drain.deadlineMs + 30_000);
  expect(page("image")).toContain(`--stop-timeout ${graceMs / 1_000} `);
});

test("the catalogues of compose are valid, and its Prometheus scrapes the gateway's admin listener", () => {
  for (const file of ["catalogue.yaml", "simulator.yaml"]) {
    const { models } = readCatalogueFile(read(`${FOLDER}/${file}`), file);
    expect(models.map(({ price }) => price)).not.toContain(null);
  }
  const { config } = loadConfig({ environment: {}, readFile: noFile });

  expect(parse(read(`${FOLDER}/targets/tollgate.yml`))).toEqual([{ targets: [`gateway:${config.admin.port}`] }]);
  const scraped = read("deploy/prometheus/prometheus.yml");
  const mounts = compose.services["prometheus"]?.volumes ?? [];
  const [, token = ""] = /credentials_file: (\S+)/.exec(scraped) ?? [];
  expect(mounts).toContain(`./secrets/metrics_token:/etc/prometheus/${token}:ro`);
  expect(scraped).toContain("targets/tollgate.yml");
});

function noFile(): never {
  throw Object.assign(new Error("no such file"), { code: "ENOENT" });
}
