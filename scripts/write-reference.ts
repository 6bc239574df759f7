/**
 * Writes the reference from the code it describes. With `--check` nothing is written: it names the files that no longer
 * agree with the code, and fails.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createExampleFile } from "../src/config/example-file.ts";
import { describeGroup, type Field, listFields } from "../src/config/fields.ts";
import { createJsonSchema } from "../src/config/json-schema.ts";
import { memberPolicyOf } from "../src/core/request/member-policy.ts";
import { COMPATIBLE_PROVIDERS } from "../src/upstream/providers.ts";
import { chartSchema } from "./chart/values-schema.ts";
import { commandsPage } from "./commands-page.ts";
import { errorsPage } from "./errors-page.ts";
import { logsPage } from "./logs-page.ts";
import { outputPage } from "./output-page.ts";
import { refusalsPage } from "./refusals-page.ts";
import { rolesPage } from "./roles-page.ts";
import {
  COUNTERS,
  type GaugeRow,
  BUILD_GAUGES,
  GAUGES,
  HISTOGRAMS,
  type MetricRow,
  ROUTE_GAUGES,
  WORKER_GAUGES,
} from "../src/telemetry/metrics/metric-table.ts";
import { CERTIFICATE_GAUGES, DATABASE_GAUGES, DISK_GAUGES } from "../src/telemetry/metrics/server-metric-table.ts";

const ROOT = join(import.meta.dirname, "..");
const GENERATED = "<!-- Written by scripts/write-reference.ts. Edit the code it is written from. -->";

/** Every generated file, by its path from the root. */
const PAGES: Record<string, () => string | Promise<string>> = {
  "docs/reference/commands.md": () => commandsPage(GENERATED),
  "docs/reference/settings.md": settingsPage,
  "docs/reference/errors.md": () => errorsPage(GENERATED),
  "docs/reference/logs.md": () => logsPage(GENERATED),
  "docs/reference/metrics.md": metricsPage,
  "docs/reference/output.md": () => outputPage(GENERATED),
  "docs/reference/provider-refusals.md": () => refusalsPage(GENERATED),
  "docs/reference/providers.md": providersPage,
  "docs/reference/roles.md": () => rolesPage(GENERATED),
  "docs/reference/tollgate.schema.json": () => `${JSON.stringify(createJsonSchema(), null, 2)}\n`,
  "deploy/helm/tollgate/values.schema.json": () =>
    chartSchema(contentOf("deploy/helm/tollgate/values.schema.json") ?? ""),
  "tollgate.example.yaml": () => createExampleFile("./docs/reference/tollgate.schema.json"),
};

function settingsPage(): string {
  const fields = listFields();
  const groups = [...new Set(fields.map((field) => field.group))].filter((group) => group !== null);
  return [
    "# Settings",
    "",
    "For deployers who configure the gateway.",
    "",
    GENERATED,
    "",
    "Configure Tollgate with environment variables or a YAML file. A variable overrides the file, and the file overrides the",
    "default. `tollgate.example.yaml` lists every setting. `tollgate config show` prints each value and its source.",
    "",
    "Tollgate reads one file, the first of these that is given: the path in `--config`, the path in `TOLLGATE_CONFIG`, or",
    "`tollgate.yaml` in the working directory. It reads settings once, at start: restart it to apply a change. If a setting is",
    "not valid, the process stops before it listens and lists every problem with its file and line, or its variable.",
    "",
    "- An empty variable counts as unset.",
    "- To read a secret from a file, append `_FILE` to the variable's name and set it to the path of the file. Tollgate removes",
    "  one line break at the end of the file. Setting both variables is an error.",
    "- An unknown variable that begins with `TOLLGATE_` is an error, because it is probably a typo. Variables that Kubernetes",
    "  sets for services whose name is `tollgate` or begins with `tollgate-` are ignored.",
    "- In the catalogue, the credential of a provider is `env:NAME`, `file:/absolute/path`, `stored` (in the database, encrypted",
    "  with `credential.key`) or `none`. `env:` does not accept the variables on this page, so that a catalogue entry cannot send",
    "  Tollgate's own secrets to a provider.",
    "",
    "## General",
    "",
    ...table(fields.filter((field) => field.group === null)),
    ...groups.flatMap((group) => [
      "",
      `## ${group}`,
      "",
      describeGroup(group),
      "",
      ...table(fields.filter((field) => field.group === group)),
    ]),
    "",
  ].join("\n");
}

function table(fields: readonly Field[]): string[] {
  const row = (field: Field) => {
    const fallback = field.fallback === "" ? "empty" : field.fallback === null ? "unset" : `\`${field.fallback}\``;
    const expected = `${field.secret ? "secret: " : ""}${field.expected}`;
    return `| \`${field.path}\` | \`${field.environment}\` | ${fallback} | ${expected} | ${field.description} |`;
  };
  return ["| Setting | Variable | Default | Expected | Meaning |", "|---|---|---|---|---|", ...fields.map(row)];
}

function metricsPage(): string {
  const rows = (kind: string, metrics: Record<string, MetricRow | GaugeRow>) =>
    Object.values(metrics).map((row) => {
      const labelText = row.labels.map((label) => `\`${label}\``).join(", ") || "none";
      const rule = "overWorkers" in row ? row.overWorkers : "sum";
      return `| \`${row.name}\` | ${kind} | ${labelText} | ${rule} | ${row.help} |`;
    });
  const buckets = Object.values(HISTOGRAMS).map(({ name, buckets }) => `- \`${name}\`: ${buckets.join(", ")}`);
  return [
    "# Metrics",
    "",
    "For operators who build dashboards and alerts.",
    "",
    GENERATED,
    "",
    "The admin listener serves these in Prometheus text format: `/metrics` for one process, `/metrics/all` for all workers.",
    "[Monitoring](../operate/monitoring.md) has a scrape configuration and alerts.",
    "",
    "No label carries a secret or anything that a client chooses, so the number of series is bounded: at most 100 routes, 100",
    "providers and 30 reasons have a series of their own, the rest is `other`. The label `key` is a key's prefix, which is public.",
    "The first keys that a process sees, 100 unless `metrics.key_series` says otherwise, have series of their own; the rest are",
    "`other`. The same holds for pairs of a model and its provider: the first 100, unless `metrics.model_series` says otherwise.",
    "Models have the names of the catalogue. With `--workers`, each worker has its own first keys and pairs.",
    "",
    "| Name | Kind | Labels | All workers | Meaning |",
    "|---|---|---|---|---|",
    ...rows("counter", COUNTERS),
    ...rows("histogram", HISTOGRAMS),
    ...rows("gauge", GAUGES),
    ...rows("gauge", ROUTE_GAUGES),
    ...rows("gauge", DATABASE_GAUGES),
    ...rows("gauge", DISK_GAUGES),
    ...rows("gauge", CERTIFICATE_GAUGES),
    ...rows("gauge", BUILD_GAUGES),
    "",
    "`/metrics/all` has two more:",
    "",
    ...Object.values(WORKER_GAUGES).map(({ name, help }) => `- \`${name}\`: ${help}`),
    "",
    "Both also have the standard `process_*` and `nodejs_*` metrics: processor time, memory, garbage collection and event",
    "loop lag. Watch `nodejs_eventloop_lag_p99_seconds`.",
    "",
    "## Buckets, in seconds",
    "",
    ...buckets,
    "",
  ].join("\n");
}

type CertifiedRow = { provider: string; model: string; format: string; date: string; tollgate: string };

/** Contributed reports of `tollgate providers certify`, by the names of the table. */
const CERTIFIED = JSON.parse(
  readFileSync(join(ROOT, "docs/reference/certified-providers.json"), "utf8"),
) as readonly CertifiedRow[];

function tested(name: string): string {
  const rows = CERTIFIED.filter(({ provider }) => provider === name).map(
    ({ model, format, date, tollgate }) => `certified ${date} with Tollgate ${tollgate}: ${model} (${format})`,
  );
  return rows.length === 0 ? "simulated only" : rows.join("<br>");
}

function providersPage(): string {
  const unknown = CERTIFIED.filter(({ provider }) => !COMPATIBLE_PROVIDERS.some(({ name }) => name === provider));
  if (unknown.length > 0)
    throw new Error(`certified-providers.json names ${unknown[0]?.provider}, which is not listed`);
  const rows = COMPATIBLE_PROVIDERS.map((provider) => {
    const urls = Map.groupBy(Object.entries(provider.baseUrls), ([, url]) => url);
    const addresses = [...urls].map(
      ([url, dialects]) => `${dialects.map(([dialect]) => dialect).join(", ")}: \`${url}\``,
    );
    const cells = [
      provider.name,
      tested(provider.name),
      addresses.join("<br>"),
      `\`${provider.credentialHeader}\``,
      provider.conformant ? "yes" : "no",
      `\`${provider.chat.outputLimitField}\``,
      provider.chat.streamOptions,
      provider.chat.callIds === "nine" ? "nine letters and digits" : "any",
      memberPolicyOf({ baseUrl: Object.values(provider.baseUrls)[0] ?? "" }).unknown,
      provider.remark,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const usuallyOpen = memberPolicyOf({ baseUrl: "https://api.example.com" })
    .open.map((name) => `\`${name}\``)
    .join(", ");
  return [
    "# Compatible providers",
    "",
    "For operators who connect a provider and want its base URL and known differences.",
    "",
    GENERATED,
    "",
    "These providers use one of Tollgate's formats and need only configuration. Copy the base URL into the catalogue and replace",
    "the words in capitals. For a provider that is not listed, Tollgate sends `Authorization: Bearer`, `max_tokens` and",
    "`stream_options`, and normalises its streams.",
    "",
    "The second column says how a provider was tested. Simulated only: what stands here comes from documentation, recorded streams",
    "and reports of users, and no account was used. Certified: an operator ran [`tollgate providers certify`](../guides/certify-a-provider.md)",
    "with an account and contributed the report. Run it yourself before you rely on a provider.",
    "",
    "| Provider | Tested | Formats and base URLs | Credential header | Conformant chat streams | Output limit | `stream_options` | Tool call ids | Unknown fields | Remarks |",
    "|---|---|---|---|---|---|---|---|---|---|",
    ...rows,
    "",
    "- The messages format takes its credential in `x-api-key`, and as `Authorization: Bearer` at Bedrock's and Vertex's own addresses.",
    "- A provider that is reached through a proxy of yours says what it is with [`platform`](../guides/add-a-platform.md).",
    "- The output limit is sent under the name in the table, whichever of the two names the client used.",
    "- Tollgate requests usage in streams with `stream_options`. A provider marked `refused` sends usage without it.",
    "- Tool call ids that a provider does not accept, for example from another provider, are replaced by the same id in every turn.",
    "- Unknown fields are request fields that the official clients' types do not have. `drop` does not apply to these fields, unless",
    `  the provider's row names others in \`open_members\`: ${usuallyOpen}.`,
    "- Some servers cut an input that is longer than the context window and answer the rest. Ollama does, and so may any server that you",
    "  configured with less than the model's own window. Set `context_window: strict` in the provider's row: it is then sent only input",
    "  that certainly fits. [When to use it](../guides/add-a-provider.md#providers-that-cut-long-input).",
    "",
  ].join("\n");
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(join(ROOT, path), "utf8");
  } catch {
    return null;
  }
}

const rendered = await Promise.all(
  Object.entries(PAGES).map(async ([path, render]) => ({ path, text: await render() })),
);
const stale = rendered.filter(({ path, text }) => contentOf(path) !== text);

if (process.argv.includes("--check")) {
  for (const { path } of stale) console.error(`${path} does not agree with the code; run scripts/write-reference.ts`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const { path, text } of stale) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
    console.log(`wrote ${path}`);
  }
}
