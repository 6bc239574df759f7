import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  CHART,
  chartDigest,
  heading,
  type Manifest,
  manifestsOf,
  RENDERED,
  valueSets,
} from "../../scripts/chart/chart-files.ts";
import { staleMonitoringFiles } from "../../scripts/chart/monitoring-files.ts";
import { chartSchema } from "../../scripts/chart/values-schema.ts";
import { SITE_URL } from "../../scripts/site/address.ts";
import { type Config, loadConfig } from "../../src/config/load-config.ts";
import { GAUGES } from "../../src/telemetry/metrics/metric-table.ts";

type Probe = { httpGet: { path: string; port: string } };
type Variable = { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } };
type Container = {
  args: string[];
  env: Variable[];
  image: string;
  ports: { name: string; containerPort: number }[];
  securityContext: object;
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
};
type Pod = {
  terminationGracePeriodSeconds: number;
  automountServiceAccountToken: boolean;
  securityContext: { runAsUser: number };
  containers: [Container];
};

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const rendering = (set: string): string => readFileSync(join(RENDERED, `${set}.yaml`), "utf8");
const valuesOf = (set: string): unknown => parse(readFileSync(join(CHART, "ci", `${set}.yaml`), "utf8"));

/** What a secret may look like, by its variable; any other variable gets a text. */
const SECRETS: Record<string, string> = {
  DATABASE_URL: "postgres://tollgate@db/tollgate",
  TOLLGATE_DATABASE_DIRECT_URL: "postgres://tollgate@db/tollgate",
  TOLLGATE_CREDENTIAL_KEY: Buffer.alloc(32, 1).toString("base64"),
  TOLLGATE_CREDENTIAL_PREVIOUS_KEY: Buffer.alloc(32, 2).toString("base64"),
};

function find<Kind>(manifests: readonly Manifest[], kind: string, suffix = ""): Kind {
  const found = manifests.find(({ kind: one, metadata }) => one === kind && metadata.name.endsWith(suffix));
  if (found === undefined) throw new Error(`no ${kind} ${suffix}`);
  return found as Kind;
}

const podOf = (manifests: readonly Manifest[]): Pod =>
  find<{ spec: { template: { spec: Pod } } }>(manifests, "Deployment").spec.template.spec;

/** The variables that the image itself sets. */
function imageVariables(): Record<string, string> {
  const file = "deploy/image/Containerfile";
  if (!existsSync(join(root, file))) return {};
  const [, line = ""] = /^ENV (PATH=.*)$/m.exec(read(file)) ?? [];
  return Object.fromEntries(line.split(" ").map((word) => word.split("=") as [string, string]));
}

/** The settings that a container of the deployment starts with: those of its image, its variables and its file. */
function settingsOf(manifests: readonly Manifest[]): Config {
  const [container] = podOf(manifests).containers;
  const given = container.env.map(({ name, value }): [string, string] => [
    name,
    value ?? SECRETS[name] ?? `a-secret-text-for-${name}`,
  ]);
  const maps = manifests.filter(({ kind }) => kind === "ConfigMap") as unknown as { data: Record<string, string> }[];
  const file = maps.map(({ data }) => data["tollgate.yaml"]).find((text) => text !== undefined) ?? "";
  const { PATH: _path, ...variables } = imageVariables();
  return loadConfig({ environment: { ...variables, ...Object.fromEntries(given) }, readFile: () => file }).config;
}

test("the rendered manifests are of the chart as it is", () => {
  const stale = valueSets().filter((set) => !rendering(set).startsWith(heading(chartDigest())));

  expect(valueSets()).toHaveLength(5);
  expect(stale, "run `npm run chart -- --write`").toEqual([]);
});

test("the chart and its image have the version of the package", () => {
  const { version } = JSON.parse(read("package.json")) as { version: string };

  expect(parse(read("deploy/helm/tollgate/Chart.yaml"))).toMatchObject({ version, appVersion: version });
});

describe("values.schema.json", () => {
  const text = readFileSync(join(CHART, "values.schema.json"), "utf8");
  const validate = new Ajv({ allErrors: true }).compile(JSON.parse(text) as object);
  const problems = (values: unknown): string[] =>
    validate(values) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);

  test("has every setting of the program but the secrets", () => {
    expect(chartSchema(text)).toBe(text);
    expect(Object.keys(schemaAt(text, "admin"))).toEqual(["host", "port", "public_url"]);
    expect(Object.keys(schemaAt(text, "drain"))).toEqual(["delay_ms", "deadline_ms"]);
  });

  test("accepts the defaults and every value set", () => {
    expect(problems(parse(readFileSync(join(CHART, "values.yaml"), "utf8")))).toEqual([]);
    for (const set of valueSets()) expect({ set, problems: problems(valuesOf(set)) }).toEqual({ set, problems: [] });
  });

  test("rejects what is misspelt and every value that could be a secret", () => {
    const extra = "must NOT have additional properties";
    expect(problems({ settings: { drain: { dealine_ms: 5 } } })).toEqual([`/settings/drain ${extra}`]);
    expect(problems({ settings: { database: { url: "postgres://u:p@db/t" } } })).toEqual([
      `/settings/database ${extra}`,
    ]);
    expect(problems({ secrets: { adminToken: { value: "a" } } })).toEqual([`/secrets/adminToken ${extra}`]);
    expect(problems({ replicas: 3 })).toEqual([` ${extra}`]);
  });
});

describe.each(valueSets())("rendered for %s", (set) => {
  const manifests = manifestsOf(rendering(set));
  const pod = podOf(manifests);
  const [container] = pod.containers;

  test("the program accepts the settings, and the ports are those it listens on", () => {
    const config = settingsOf(manifests);

    expect(container.ports).toEqual([
      { name: "public", containerPort: config.listen.port },
      { name: "admin", containerPort: config.admin.port },
    ]);
    expect(config.listen.host).toBe("0.0.0.0");
    expect(config.admin.host).toBe("0.0.0.0");
  });

  test("the grace period is longer than the drain, and the drain than the delay and the longest stream together", () => {
    const { drain, limits } = settingsOf(manifests);

    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(drain.deadlineMs + 30_000);
    expect(drain.deadlineMs).toBeGreaterThanOrEqual(drain.delayMs + limits.streamDeadlineMs);
    expect(drain.delayMs).toBeGreaterThanOrEqual(10_000);
  });

  test("probes ask the listener that can answer them", () => {
    expect(container.startupProbe.httpGet).toEqual({ path: "/livez", port: "admin" });
    expect(container.livenessProbe.httpGet).toEqual({ path: "/livez", port: "admin" });
    expect(container.readinessProbe.httpGet).toEqual({ path: "/readyz", port: "public" });
  });

  test("every pod runs without rights, as the user of the image, and reaches no API server", () => {
    const pods = manifests.flatMap(({ spec }) => {
      const template = (spec as { template?: { spec: Pod } } | undefined)?.template;
      return template === undefined ? [] : [template.spec];
    });

    expect(pods.length).toBeGreaterThanOrEqual(2);
    for (const each of pods) {
      expect(each).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: imageUser(), seccompProfile: { type: "RuntimeDefault" } },
      });
      expect(each.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
    }
  });

  test("no secret stands in a manifest, and every variable with one names a Secret", () => {
    expect(manifests.filter(({ kind }) => kind === "Secret")).toEqual([]);
    const plain = container.env.filter(({ value }) => value !== undefined).map(({ name }) => name);
    expect(plain).toEqual(["TOLLGATE_CONFIG", "HOST", "PORT"]);
    expect(container.env.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(SECRETS).slice(0, 1)));
  });

  test("the database is migrated before pods start, and never through a pooler", () => {
    type Job = { metadata: { annotations: Record<string, string> }; spec: { template: { spec: Pod } } };
    const { metadata, spec } = find<Job>(manifests, "Job", "-migrate");
    const [migrate] = spec.template.spec.containers;
    const direct = container.env.find(({ name }) => name === "TOLLGATE_DATABASE_DIRECT_URL");

    expect(metadata.annotations["helm.sh/hook"]).toBe("pre-install,pre-upgrade");
    expect(migrate.args[0]).toBe("migrate");
    expect(migrate.image).toBe(container.image);
    if (direct) expect(migrate.env[0]?.valueFrom).toEqual(direct.valueFrom);
  });
});

type Template = {
  metadata: { annotations: Record<string, string> };
  spec: Pod & {
    serviceAccountName: string;
    initContainers?: { name: string; restartPolicy?: string }[];
    volumes: { name: string }[];
  };
};
const isOfSettings = ({ data }: Manifest): boolean =>
  typeof data === "object" && data !== null && "tollgate.yaml" in data;
type Workload = { metadata: { annotations: Record<string, string> }; spec: { template: Template } };

const templateOf = (set: string, kind: string, suffix = ""): Template =>
  find<Workload>(manifestsOf(rendering(set)), kind, suffix).spec.template;

test("pods are replaced when the settings or the version of the secrets change", () => {
  const annotations = (set: string) => templateOf(set, "Deployment").metadata.annotations;
  const settings = (set: string) =>
    JSON.stringify(find<{ data: object }>(manifestsOf(rendering(set)).filter(isOfSettings), "ConfigMap").data);
  const pairs = valueSets().map((set) => `${annotations(set)["checksum/settings"]} ${settings(set)}`);

  expect(new Set(pairs).size).toBe(new Set(valueSets().map(settings)).size);
  expect(new Set(pairs.map((pair) => pair.slice(0, 64))).size).toBe(new Set(pairs).size);
  expect(new Set(pairs).size).toBeGreaterThan(2);
  expect(annotations("pooler")["tollgate/secrets-version"]).toBe("2026-11-01");
  expect(annotations("smallest")).not.toHaveProperty("tollgate/secrets-version");
});

test("every job has a service account that exists when it runs", () => {
  type Account = { metadata: { name: string; annotations?: Record<string, string> } };
  const manifests = manifestsOf(rendering("production"));
  const accounts = manifests.filter(({ kind }) => kind === "ServiceAccount") as unknown as Account[];
  const hookOf = (name: string) =>
    accounts.find(({ metadata }) => metadata.name === name)?.metadata.annotations?.["helm.sh/hook"];
  const migrate = templateOf("production", "Job", "-migrate").spec.serviceAccountName;
  const catalogue = templateOf("production", "Job", "-catalogue").spec.serviceAccountName;

  // Helm creates the chart's own account after the hooks that come before an installation.
  expect(hookOf(migrate)).toBe("pre-install,pre-upgrade");
  expect(accounts.map(({ metadata }) => metadata.name)).toContain(catalogue);
  expect(catalogue).toBe(templateOf("production", "Deployment").spec.serviceAccountName);
  expect(hookOf(catalogue)).toBeUndefined();
  const annotated = manifestsOf(rendering("sidecars")).filter(({ kind }) => kind === "ServiceAccount");
  for (const { metadata } of annotated as unknown as Account[])
    expect(metadata.annotations).toMatchObject({ "iam.example.com/role": "tollgate" });
  expect(annotated).toHaveLength(2);
  expect(templateOf("pooler", "Job", "-migrate").spec.serviceAccountName).toBe("gateway");
  expect(templateOf("pooler", "Deployment").spec.serviceAccountName).toBe("gateway");
});

test("sidecars run beside the gateway and, as init containers that end with it, beside a job", () => {
  const deployment = templateOf("sidecars", "Deployment").spec;
  const job = templateOf("sidecars", "Job", "-migrate");

  expect((deployment.containers as { name?: string }[]).map(({ name }) => name)).toEqual(["tollgate", "log-shipper"]);
  expect(deployment.initContainers?.map(({ name }) => name)).toEqual(["database-proxy"]);
  expect(job.spec.initContainers).toMatchObject([{ name: "database-proxy", restartPolicy: "Always" }]);
  expect(job.spec.containers).toHaveLength(1);
  expect(job.metadata.annotations).toEqual({ "sidecar.istio.io/inject": "false" });
  expect(deployment.volumes.map(({ name }) => name)).toEqual(["settings", "proxy-settings"]);
  expect(job.spec.volumes.map(({ name }) => name)).toEqual(["proxy-settings", "scratch"]);
});

test("the autoscaler reads a gauge that the gateway has", () => {
  type Metric = { pods?: { metric: { name: string } }; resource?: { name: string } };
  const { spec } = find<{ spec: { metrics: Metric[] } }>(
    manifestsOf(rendering("autoscaled")),
    "HorizontalPodAutoscaler",
  );
  const gauges = Object.values(GAUGES).map(({ name }) => name as string);

  expect(gauges).toContain(spec.metrics[0]?.pods?.metric.name);
  expect(spec.metrics[1]?.resource?.name).toBe("cpu");
});

test("the chart ships the rules of deploy/prometheus and the dashboards of deploy/grafana", () => {
  type ConfigMap = { metadata: { labels: Record<string, string> }; data: Record<string, string> };
  const manifests = manifestsOf(rendering("production"));
  const { spec } = find<{ spec: object }>(manifests, "PrometheusRule");
  const maps = (manifests as unknown as ConfigMap[]).filter(({ metadata }) => metadata.labels["grafana_dashboard"]);
  const boards = maps.flatMap(({ data }) => Object.entries(data));
  const folder = "deploy/grafana/dashboards";

  expect(staleMonitoringFiles(), "run scripts/write-chart-files.ts").toEqual([]);
  const rules = read("deploy/prometheus/rules/tollgate.rules.yml");
  const { documentation } = (valuesOf("production") as { prometheusRule: { documentation: string } }).prometheusRule;
  expect(rules).toContain(`runbook_url: ${SITE_URL}`);
  expect(spec).toEqual(parse(rules.replaceAll(SITE_URL, `${documentation}/`)));
  expect(boards.map(([name]) => name).toSorted()).toEqual(readdirSync(join(root, folder)).toSorted());
  for (const [name, text] of boards) expect(JSON.parse(text)).toEqual(JSON.parse(read(`${folder}/${name}`)));
});

test("rules, dashboards and scraping are off unless the values switch them on", () => {
  const kinds = manifestsOf(rendering("smallest")).map(({ kind }) => kind);

  expect(kinds).not.toContain("PrometheusRule");
  expect(kinds).not.toContain("ServiceMonitor");
  expect(kinds.filter((kind) => kind === "ConfigMap")).toHaveLength(1);
});

test("the network policy lets nobody but the named namespaces and the own one reach the admin port", () => {
  type Rule = { ports: { port: string }[]; from?: object[] };
  const { spec } = find<{ spec: { ingress: Rule[] } }>(manifestsOf(rendering("autoscaled")), "NetworkPolicy");
  const admin = spec.ingress.filter(({ ports }) => ports.some(({ port }) => port === "admin"));

  expect(admin.map(({ from }) => from)).toEqual([
    [{ podSelector: {} }, { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }],
  ]);
});

function imageUser(): number {
  const file = "deploy/image/Containerfile";
  if (!existsSync(join(root, file))) return 65_532;
  return Number(/^USER (\d+)/m.exec(read(file))?.[1]);
}

function schemaAt(text: string, group: string): object {
  type Schema = { properties: Record<string, Schema> };
  return (JSON.parse(text) as Schema).properties["settings"]?.properties[group]?.properties ?? {};
}
