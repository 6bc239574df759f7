/**
 * Starts what can be deployed as its page says, from an empty folder to the first paid token, and says how long it took: the
 * package and the image. Also builds the image twice and compares the digests.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Fence, fencesOf } from "../tests/support/fenced/fences.ts";
import { freshDatabase } from "../tests/support/postgres.ts";
import { startSimulatorProcess } from "../tests/support/simulator-process.ts";
import { freePort } from "../tests/support/free-port.ts";
import { actCompose } from "./artefacts/act-compose.ts";
import { buildImage } from "./artefacts/build-image.ts";
import { type Engine, openEngine } from "./artefacts/engine.ts";
import { runBlocks, typedBlocks } from "./artefacts/run-page.ts";
import { provideImages } from "./artefacts/stand-ins.ts";
import { useImage } from "./artefacts/use-image.ts";

const USAGE = `npm run artefacts -- [package] [image] [image-use] [image-page] [compose]

  package      packs and installs the package, and types the commands of docs/start/on-postgresql.md
  image        builds the image twice and compares the digests
  image-use    runs the image in hardened containers: user, root, signals, drain, workers, health check
  image-page   types the commands of docs/deploy/image.md
  compose      starts each service of deploy/compose/compose.yaml as a container, in order; after image-page
  --help       this text

Without a name, all of them. Needs root and, from Debian: podman, buildah, runc, debootstrap.`;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const IMAGE = "localhost/tollgate-artefact:latest";

function image(engine: Engine): Promise<void> {
  const startedAtMs = performance.now();
  const [first, second] = [buildImage(engine, IMAGE), buildImage(engine, IMAGE)];
  console.log(`image: two builds in ${seconds(performance.now() - startedAtMs)}`);
  console.log(
    `image: ${first.digest}\nimage: ${second.digest}${first.digest === second.digest ? " (equal)" : " (NOT equal)"}`,
  );
  console.log(`image: ${megabytes(first.compressedBytes)} compressed, ${megabytes(first.unpackedBytes)} unpacked`);
  if (first.digest !== second.digest) process.exitCode = 1;
  return Promise.resolve();
}

async function imageUse(engine: Engine): Promise<void> {
  const startedAtMs = performance.now();
  const findings = await useImage({ engine, image: IMAGE, port: await freePort() });
  for (const { what, got } of findings) console.log(`image: ${what}: ${got}`);
  console.log(`image: used in ${seconds(performance.now() - startedAtMs)}`);
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
    const { commands, firstTokenMs } = await runBlocks({
      fences: typedBlocks("docs/deploy/image.md"),
      commandFolder: engine.commandFolder,
      port,
      replacements: [[/https:\/\/api\.openai\.com/g, "http://simulator:9100"]],
    });
    console.log(`docs/deploy/image.md: ${commands} commands; first paid token after ${seconds(firstTokenMs)}`);
  } finally {
    remove();
  }
}

async function compose(engine: Engine): Promise<void> {
  const { firstTokenMs, order } = await actCompose(engine, await freePort());
  console.log(`compose: ${order.join(", ")}; first paid token after ${seconds(firstTokenMs)}`);
}

/** The package, packed in a clone and installed elsewhere, on a PostgreSQL that is there already. */
async function packagePages(): Promise<void> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const database = await freshDatabase({ migrated: false });
  const simulator = await startSimulatorProcess();
  const bin = mkdtempSync(join(tmpdir(), "tollgate-bin-"));
  writeFileSync(join(bin, "tollgate"), '#!/bin/sh\nexec npx tollgate "$@"\n', { mode: 0o755 });
  const page = "docs/start/first-token.md";
  const [clone] = fencesOf(page);
  const packed = fencesOf(page).find(({ text }) => text.startsWith("npm pack"));
  if (clone === undefined || packed === undefined) throw new Error(`${page} no longer says how to pack`);
  const without = (fence: Fence, last: string): Fence => ({
    ...fence,
    runsUntil: null,
    text: fence.text.replace(last, ""),
  });
  try {
    const { commands, firstTokenMs } = await runBlocks({
      fences: [
        without(clone, "npm run dev"),
        without(packed, "npx tollgate dev"),
        ...typedBlocks("docs/start/on-postgresql.md"),
      ],
      commandFolder: bin,
      port,
      environment: { PORT: String(port), TOLLGATE_ADMIN_PORT: String(adminPort) },
      replacements: [
        [/postgres:\/\/tollgate:password@127\.0\.0\.1:5432\/tollgate/g, `'${database.url}'`],
        [/https:\/\/api\.openai\.com/g, simulator.url],
      ],
    });
    console.log(`package: ${commands} commands; first paid token after ${seconds(firstTokenMs)}`);
  } finally {
    await simulator.stop();
    await database.close();
    rmSync(bin, { recursive: true, force: true });
  }
}

const STEPS: Readonly<Record<string, (engine: Engine) => Promise<void>>> = {
  package: packagePages,
  image,
  "image-use": imageUse,
  "image-page": imagePage,
  compose,
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
  const engine = openEngine();
  provideImages(engine);
  for (const name of positionals.length > 0 ? positionals : Object.keys(STEPS)) await STEPS[name]?.(engine);
}
