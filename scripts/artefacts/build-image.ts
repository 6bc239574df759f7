import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "./engine.ts";

const ROOT = join(import.meta.dirname, "../..");

export type BuiltImage = { digest: string; compressedBytes: number; unpackedBytes: number; config: ImageConfig };
type ImageConfig = { User: string; Entrypoint: string[]; Cmd: string[]; Healthcheck: { Test: string[] } };
type Manifest = { layers: { digest: string; size: number }[] };

/** Builds the image of this commit from scratch, and reads its digest from the OCI layout it is written to. */
export function buildImage(engine: Engine, name: string): BuiltImage {
  const git = (...words: string[]): string => execFileSync("git", words, { cwd: ROOT, encoding: "utf8" }).trim();
  const epoch = git("log", "-1", "--format=%ct");
  const file = join(ROOT, "deploy/image/Containerfile");
  const reproducible = ["--no-cache", "--timestamp", epoch, "--build-arg", `SOURCE_DATE_EPOCH=${epoch}`];
  const revision = ["--build-arg", `REVISION=${git("rev-parse", "HEAD")}`];
  engine.podman("build", "-q", ...reproducible, ...revision, "-f", file, "-t", name, ROOT);
  const layout = join(engine.cacheFolder, "layout");
  rmSync(layout, { recursive: true, force: true });
  engine.podman("push", "-q", "--format", "oci", name, `oci:${layout}:image`);
  const blob = (digest: string): string => join(layout, "blobs", digest.replace(":", "/"));
  const json = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
  const { manifests } = json(join(layout, "index.json")) as { manifests: { digest: string }[] };
  const digest = manifests[0]?.digest ?? "";
  const { layers } = json(blob(digest)) as Manifest;
  const unpacked = layers.map(({ digest: layer }) =>
    Number(execFileSync("sh", ["-c", `gzip -dc '${blob(layer)}' | wc -c`])),
  );
  const [inspected] = JSON.parse(engine.podman("image", "inspect", name)) as {
    Config: ImageConfig;
    HealthCheck?: object;
  }[];
  const healthcheck = engine.podman("image", "inspect", "--format", "{{json .HealthCheck}}", name);
  return {
    digest,
    compressedBytes: layers.reduce((sum, { digest: layer }) => sum + statSync(blob(layer)).size, 0),
    unpackedBytes: unpacked.reduce((sum, size) => sum + size, 0),
    config: { ...(inspected?.Config as ImageConfig), Healthcheck: JSON.parse(healthcheck) as { Test: string[] } },
  };
}
