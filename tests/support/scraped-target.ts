import type { Manifest } from "../../scripts/chart/chart-files.ts";

type Labels = Record<string, string>;
type Relabeling = { action?: string; targetLabel: string; replacement: string };
type Endpoint = { port: string; path: string; relabelings?: Relabeling[] };
type ServiceMonitor = {
  metadata: { labels: Labels };
  spec: { jobLabel?: string; selector: { matchLabels: Labels }; endpoints: [Endpoint] };
};
type Service = { metadata: { name: string; labels: Labels }; spec: { ports: { name: string }[] } };

/** The labels of a pod that Prometheus scrapes by the chart's ServiceMonitor, as Prometheus Operator writes them. */
export function scrapedTarget(manifests: readonly Manifest[]): Labels {
  const monitors = manifests.filter(({ kind }) => kind === "ServiceMonitor") as unknown as ServiceMonitor[];
  const [monitor] = monitors;
  if (monitor === undefined || monitors.length > 1) throw new Error(`${monitors.length} ServiceMonitors`);
  const [endpoint] = monitor.spec.endpoints;
  const wanted = Object.entries(monitor.spec.selector.matchLabels);
  const services = (manifests.filter(({ kind }) => kind === "Service") as unknown as Service[]).filter(
    ({ metadata, spec }) =>
      wanted.every(([name, value]) => metadata.labels[name] === value) &&
      spec.ports.some(({ name }) => name === endpoint.port),
  );
  const [service] = services;
  if (service === undefined || services.length > 1) throw new Error(`${services.length} Services are selected`);

  const labels: Labels = {
    namespace: "models",
    service: service.metadata.name,
    pod: `${service.metadata.name}-5d8f-x2x`,
    container: "tollgate",
    endpoint: endpoint.port,
    instance: "10.244.1.17:8081",
    job: service.metadata.labels[monitor.spec.jobLabel ?? ""] ?? service.metadata.name,
  };
  for (const { action = "replace", targetLabel, replacement } of endpoint.relabelings ?? []) {
    if (action !== "replace" || replacement.includes("$")) throw new Error(`a relabeling that is not understood here`);
    labels[targetLabel] = replacement;
  }
  return labels;
}
