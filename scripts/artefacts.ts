/**
 * Starts what can be deployed as its page says, from an empty folder to the first paid token, and says how long it took: the
 * package, the image and the compose file. Also builds the image twice and compares the digests.
 */
import { parseArgs } from "node:util";
import { freePort } from "../tests/support/postgres-cluster.ts";
import { until } from "../tests/support/until.ts";
import { buildImage } from "./artefacts/build-image.ts";
import { type Engine, openEngine } from "./artefacts/engine.ts";
import { runPage } from "./artefacts/run-page.ts";
import { provideImages } from "./artefacts/stand-ins.ts";
import { useImage } from "./artefacts/use-image.ts";

const USAGE = `npm run artefacts -- [image] [image-page] [compose-page]

  image        builds the image twice, compares the digests, then uses it in a real container
  image-page   types the commands of docs/deploy/image.md
  compose-page types the commands of docs/deploy/compose.md, with podman-compose
  --help       this text

Without a name, all of them. Needs root and, from Debian: podman, buildah, runc, debootstrap.`;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

async function image(engine: Engine): Promise<void> {
  const name = "localhost/tollgate-artefact:latest";
  const startedAtMs = performance.now();
  const [first, second] = [buildImage(engine, name), buildImage(engine, name)];
  console.log(`image: two builds in ${seconds(performance.now() - startedAtMs)}`);
  console.log(
    `image: ${first.digest}\nimage: ${second.digest}${first.digest === second.digest ? " (equal)" : " (NOT equal)"}`,
  );
  console.log(`image: ${megabytes(first.compressedBytes)} compressed, ${megabytes(first.unpackedBytes)} unpacked`);
  if (first.digest !== second.digest) process.exitCode = 1;
  for (const { what, got } of await useImage({ engine, image: name, port: await freePort() }))
    console.log(`image: ${what}: ${got}`);
}

async function imagePage(engine: Engine): Promise<void> {
  const port = await freePort();
  const remove = (): void => {
    engine.tryPodman("rm", "-f", "-t", "5", "gateway", "simulator", "postgres");
    engine.tryPodman("volume", "rm", "-f", "tollgate-data");
    engine.tryPodman("network", "rm", "-f", "tollgate");
  };
  remove();
  try {
    const { commands, firstTokenMs } = await runPage({
      page: "docs/deploy/image.md",
      commandFolder: engine.commandFolder,
      port,
      replacements: [[/https:\/\/api\.openai\.com/g, "http://simulator:9100"]],
    });
    console.log(`docs/deploy/image.md: ${commands} commands; first paid token after ${seconds(firstTokenMs)}`);
  } finally {
    remove();
  }
}

async function composePage(engine: Engine): Promise<void> {
  const [port, prometheusPort] = [await freePort(), await freePort()];
  const remove = (): void => {
    engine.tryPodman("pod", "rm", "-f", "-t", "5", "pod_tollgate");
    const filter = ["--filter", "label=io.podman.compose.project=tollgate"];
    const left = engine
      .podman("ps", "-aq", ...filter)
      .split("\n")
      .filter(Boolean);
    if (left.length > 0) engine.tryPodman("rm", "-f", "-t", "5", ...left);
    engine.tryPodman("volume", "rm", "-f", "tollgate_postgres", "tollgate_prometheus");
    engine.tryPodman("network", "rm", "-f", "tollgate_default");
  };
  remove();
  try {
    const { commands, firstTokenMs } = await runPage({
      page: "docs/deploy/compose.md",
      commandFolder: engine.commandFolder,
      port,
      environment: { PUBLISHED_PORT: String(port), PROMETHEUS_PORT: String(prometheusPort) },
    });
    console.log(`docs/deploy/compose.md: ${commands} commands; first paid token after ${seconds(firstTokenMs)}`);
    console.log(`docs/deploy/compose.md: ${await whatPrometheusHas(`http://127.0.0.1:${prometheusPort}`)}`);
  } finally {
    remove();
  }
}

/** Waits until Prometheus has scraped the gateway, and counts the rules it has loaded. */
async function whatPrometheusHas(url: string): Promise<string> {
  const get = async (path: string): Promise<unknown> =>
    ((await (await fetch(`${url}/api/v1/${path}`)).json()) as { data: unknown }).data;
  const isUp = async (): Promise<boolean> => {
    const { result } = (await get("query?query=up{job=%22tollgate%22}")) as { result: { value: [number, string] }[] };
    return result[0]?.value[1] === "1";
  };
  await until(isUp, "Prometheus has scraped the gateway", 90_000);
  const { groups } = (await get("rules")) as { groups: { rules: { health: string }[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  const failing = rules.filter(({ health }) => health === "err").length;
  return `Prometheus scrapes the gateway; ${rules.length} rules loaded, ${failing} failing`;
}

const STEPS: Readonly<Record<string, (engine: Engine) => Promise<void>>> = {
  image,
  "image-page": imagePage,
  "compose-page": composePage,
};

const { values, positionals } = parseArgs({
  options: { help: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !(name in STEPS));
if (values.help) console.log(USAGE);
else if (unknown.length > 0) {
  console.error(`artefacts: no such step: ${unknown.join(", ")}\n\n${USAGE}`);
  process.exitCode = 2;
} else {
  const engine = await openEngine();
  provideImages(engine);
  for (const name of positionals.length > 0 ? positionals : Object.keys(STEPS)) await STEPS[name]?.(engine);
}
