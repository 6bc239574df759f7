// The import law. ARCHITECTURE.md states it as a table; this is the table the machine reads.
// A folder may import itself and what stands beside it here, nothing else.
const law = {
  core: [],
  config: ["core", "wire"],
  telemetry: ["core"],
  db: ["core"],
  wire: ["core"],
  tokens: ["core"],
  description: ["core"],
  translate: ["core", "wire"],
  console: ["core"],
  credentials: ["core"],
  keys: ["core"],
  catalogue: ["core"],
  ledger: ["core"],
  notices: ["core"],
  people: ["core"],
  audit: ["core"],
  live: ["core"],
  records: ["core"],
  admission: ["core", "tokens"],
  certify: ["core", "wire", "tokens"],
  upstream: ["core", "wire"],
  simulator: ["core", "wire"],
  offload: ["core", "wire", "translate", "tokens"],
  relay: ["core", "wire", "translate", "tokens"],
  gateway: [
    "core",
    "telemetry",
    "wire",
    "translate",
    "tokens",
    "keys",
    "catalogue",
    "admission",
    "ledger",
    "upstream",
    "relay",
  ],
  operator: [
    "core",
    "telemetry",
    "keys",
    "catalogue",
    "ledger",
    "notices",
    "records",
    "people",
    "entrance",
    "live",
    "audit",
    "upstream",
    "credentials",
  ],
  entrance: ["core", "telemetry", "keys", "ledger", "people"],
  contract: ["core", "wire", "entrance", "operator"],
  doctor: ["core", "config", "telemetry", "db"],
  "admin-client": ["core", "wire", "contract"],
  http: ["core", "telemetry", "wire", "description", "gateway"],
  admin: ["core", "telemetry", "wire", "description", "entrance", "operator", "contract"],
  cli: [
    "app.ts",
    "app",
    "core",
    "config",
    "db",
    "telemetry",
    "wire",
    "entrance",
    "operator",
    "contract",
    "doctor",
    "admin-client",
    "simulator",
  ],
};
/** What a `*-store.ts` of a folder may import. */
const stores = {
  ...Object.fromEntries(
    ["keys", "catalogue", "ledger", "notices", "records", "people", "live", "audit"].map((name) => [
      name,
      ["core", "db"],
    ]),
  ),
  entrance: ["core", "db", "people"],
};
/** What stands beside src/: it may import from there, nothing there may import it. */
const besides = ["build", "demo"];
const folder = (name) => {
  if (besides.includes(name)) return `^${name}/`;
  return name.endsWith(".ts") ? `^src/${name.replace(".", "\\.")}$` : `^src/${name}/`;
};
const code = `^(src|${besides.join("|")})/`;

/** Which folders may import a runtime dependency: one, or several where it holds no state of ours. */
const homes = {
  fastify: ["admin"],
  undici: ["upstream"],
  ws: ["http"],
  zod: ["wire", "config", "contract", "build"],
  pg: ["db"],
  "@electric-sql/pglite": ["db"],
  yaml: ["config"],
  "@prometheus-io/client": ["telemetry"],
  "@opentelemetry/api": ["telemetry"],
  "@opentelemetry/exporter-trace-otlp-proto": ["telemetry"],
  "@opentelemetry/resources": ["telemetry"],
  "@opentelemetry/sdk-trace": ["telemetry"],
  commander: ["cli"],
  "eventsource-parser": ["wire", "admin-client"],
  "lru-cache": ["keys", "gateway", "records"],
  "gpt-tokenizer": ["tokens"],
  "openid-client": ["entrance"],
};

module.exports = {
  forbidden: [
    { name: "no-cycle", severity: "error", from: { path: code }, to: { circular: true } },
    {
      name: "no-unresolvable",
      severity: "error",
      from: { path: code },
      to: { couldNotResolve: true },
    },
    ...Object.entries(law).map(([name, allowed]) => ({
      name: `law-${name}`,
      comment: `${name} may import only: ${["itself", ...allowed].join(", ")}`,
      severity: "error",
      from: { path: `^src/${name}/`, pathNot: ["\\.test\\.ts$", name in stores ? "-store\\.ts$" : "^$"] },
      to: { path: "^src/", pathNot: [name, ...allowed].map(folder) },
    })),
    ...Object.entries(stores).map(([name, allowed]) => ({
      name: `law-${name}-store`,
      comment: `a *-store.ts may import only: ${["its own folder", ...allowed].join(", ")}`,
      severity: "error",
      from: { path: `^src/${name}/.*-store\\.ts$` },
      to: { path: "^src/", pathNot: [name, ...allowed].map(folder) },
    })),
    {
      name: "law-app",
      severity: "error",
      from: { path: "^src/app(\\.ts$|/)" },
      to: { path: ["^src/main\\.ts$", "^src/cli/"] },
    },
    {
      name: "law-main",
      severity: "error",
      from: { path: "^src/main\\.ts$" },
      to: { path: "^src/", pathNot: ["^src/cli/"] },
    },
    {
      name: "src-alone",
      comment: "the gateway runs without what makes its files, and without the demo, which one place loads",
      severity: "error",
      from: { path: "^src/", pathNot: ["\\.test\\.ts$", "^src/cli/dev/load-demo\\.ts$"] },
      to: { path: besides.map(folder) },
    },
    {
      name: "demo-store",
      comment: "the store of the demo may import only: the demo, core, db",
      severity: "error",
      from: { path: "^demo/.*-store\\.ts$" },
      to: { path: "^src/", pathNot: ["core", "db"].map(folder) },
    },
    ...besides.map((name) => ({
      name: `${name}-beside`,
      comment: `${name} may import only: itself, src`,
      severity: "error",
      from: { path: folder(name), pathNot: "\\.test\\.ts$" },
      to: { pathNot: [folder(name), "^src/", "(^|/)node_modules/"], dependencyTypesNot: ["core"] },
    })),
    {
      name: "dialects-apart",
      comment: "a dialect of translate may import only: itself, form, and the files beside the folders",
      severity: "error",
      from: { path: "^src/translate/(?!form/|crossing/|fidelity/)([^/]+)/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/translate/[^/]+/", pathNot: "^src/translate/(form|$1)/" },
    },
    {
      name: "form-knows-no-dialect",
      comment: "form and crossing know no dialect: of the folders of translate they may import only form",
      severity: "error",
      from: { path: "^src/translate/(form|crossing)/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/translate/[^/]+/", pathNot: "^src/translate/(form|$1)/" },
    },
    {
      name: "wire-admin-readers",
      comment:
        "the JSON of the admin API is read by its two ends and whoever describes it; what lies between speaks domain types",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: ["\\.test\\.ts$", "^src/wire/admin/", ...["admin", "admin-client", "cli", "contract"].map(folder)],
      },
      to: { path: "^src/wire/admin/" },
    },
    ...Object.entries(homes).map(([name, folders]) => ({
      name: `home-${name}`,
      comment: `${name} lives in ${folders.join(", ")}`,
      severity: "error",
      from: { path: code, pathNot: [...folders.map(folder), "\\.test\\.ts$"] },
      to: { path: `(^|/)node_modules/${name}/` },
    })),
    {
      name: "no-dev-dependency",
      severity: "error",
      from: { path: code, pathNot: "\\.test\\.ts$" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "contract-is-black-box",
      severity: "error",
      from: { path: "^tests/(contract|conformance)/" },
      to: { path: "^src/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      extensions: [".ts", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
    },
  },
};
