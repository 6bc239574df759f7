import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { manifestsOf, RENDERED } from "../../../scripts/chart/chart-files.ts";

type Probe = { httpGet: { path: string; port: string }; periodSeconds: number; failureThreshold?: number };
type Spec = {
  minReadySeconds: number;
  strategy: { rollingUpdate: { maxSurge: number; maxUnavailable: number } };
  template: { spec: { terminationGracePeriodSeconds: number; containers: [Container] } };
};
type Container = { args: string[]; lifecycle?: object; readinessProbe: Probe };
type Settings = { drain: { delay_ms: number; deadline_ms: number }; limits: { stream_deadline_ms: number } };

/** What the manifests of the chart tell Kubernetes to do with a pod. */
export type Deployment = {
  args: readonly string[];
  settings: Settings;
  readiness: { path: string; periodMs: number; failureThreshold: number };
  minReadyMs: number;
  graceMs: number;
  maxSurge: number;
  maxUnavailable: number;
};

/** The deployment that the chart renders with its own defaults. */
export function readDeployment(): Deployment {
  const manifests = manifestsOf(readFileSync(join(RENDERED, "smallest.yaml"), "utf8"));
  const { spec } = manifests.find(({ kind }) => kind === "Deployment") as unknown as { spec: Spec };
  const { data } = manifests.find(({ kind }) => kind === "ConfigMap") as unknown as { data: Record<string, string> };
  const { terminationGracePeriodSeconds: graceSeconds, containers } = spec.template.spec;
  const [{ args, lifecycle, readinessProbe: probe }] = containers;
  if (lifecycle !== undefined) throw new Error("the pod has a lifecycle hook, which is not acted out here");
  if (probe.httpGet.port !== "public") throw new Error("readiness is asked of another port than requests go to");
  return {
    args,
    settings: parse(data["tollgate.yaml"] ?? "") as Settings,
    readiness: {
      path: probe.httpGet.path,
      periodMs: probe.periodSeconds * 1_000,
      failureThreshold: probe.failureThreshold ?? 3,
    },
    minReadyMs: spec.minReadySeconds * 1_000,
    graceMs: graceSeconds * 1_000,
    ...spec.strategy.rollingUpdate,
  };
}
