// The import law. ARCHITECTURE.md states it as a table; this is the table the machine reads.
// A folder may import itself and what stands beside it here, nothing else.
const law = {
  core: [],
  config: ["core", "wire"],
  telemetry: ["core"],
  db: ["core"],
  wire: ["core"],
  tokens: ["core"],
  openapi: ["core", "wire"],
  translate: ["core", "wire"],
  credentials: ["core"],
  keys: ["core"],
  catalogue: ["core"],
  ledger: ["core"],
  notices: ["core"],
  people: ["core"],
  "sign-in": ["core"],
  audit: ["core"],
  admission: ["core", "tokens"],
  certify: ["core", "wire", "tokens"],
  upstream: ["core", "wire"],
  simulator: ["core", "wire"],
  offload: ["core", "wire", "translate", "tokens"],
  relay: ["core", "wire", "translate", "tokens"],
  gateway: [
    "core", "telemetry", "wire", "translate", "tokens",
    "keys", "catalogue", "admission", "ledger", "upstream", "relay",
  ],
  operator: ["core", "telemetry", "keys", "catalogue", "ledger", "notices", "people", "sign-in", "audit", "upstream", "credentials"],
  doctor: ["core", "config", "telemetry", "db"],
  "admin-client": ["core", "wire"],
  http: ["core", "telemetry", "wire", "openapi", "gateway"],
  admin: ["core", "telemetry", "wire", "openapi", "operator"],
  cli: [
    "app.ts", "app", "core", "config", "db", "telemetry", "wire",
    "operator", "doctor", "admin-client", "simulator",
  ],
};
const storeFolders = ["keys", "catalogue", "ledger", "notices", "people", "audit"];
const folder = (name) => (name.endsWith(".ts") ? `^src/${name.replace(".", "\\.")}$` : `^src/${name}/`);

/** Which folders may import a runtime dependency: each has one home, exceptions are named. */
const homes = {
  fastify: ["admin"],
  undici: ["upstream"],
  zod: ["wire", "config", "openapi"],
  pg: ["db"],
  "@electric-sql/pglite": ["db"],
  yaml: ["config"],
  pino: ["telemetry"],
  "@prometheus-io/client": ["telemetry"],
  "@opentelemetry/api": ["telemetry"],
  "@opentelemetry/exporter-trace-otlp-proto": ["telemetry"],
  "@opentelemetry/resources": ["telemetry"],
  "@opentelemetry/sdk-trace": ["telemetry"],
  commander: ["cli"],
  "eventsource-parser": ["wire"],
  "lru-cache": ["keys"],
  "gpt-tokenizer": ["tokens"],
  "openid-client": ["sign-in"],
};

module.exports = {
  forbidden: [
    { name: "no-cycle", severity: "error", from: { path: "^src/" }, to: { circular: true } },
    {
      name: "no-unresolvable",
      severity: "error",
      from: { path: "^src/" },
      to: { couldNotResolve: true },
    },
    ...Object.entries(law).map(([name, allowed]) => ({
      name: `law-${name}`,
      comment: `${name} may import only: ${["itself", ...allowed].join(", ")}`,
      severity: "error",
      from: { path: `^src/${name}/`, pathNot: ["\\.test\\.ts$", storeFolders.includes(name) ? "-store\\.ts$" : "^$"] },
      to: { path: "^src/", pathNot: [name, ...allowed].map(folder) },
    })),
    ...storeFolders.map((name) => ({
      name: `law-${name}-store`,
      comment: `a *-store.ts may import only: its own folder, core, db`,
      severity: "error",
      from: { path: `^src/${name}/.*-store\\.ts$` },
      to: { path: "^src/", pathNot: [name, "core", "db"].map(folder) },
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
      comment: "the JSON of the admin API is read by its two ends and whoever describes it; what lies between speaks domain types",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: ["\\.test\\.ts$", "^src/wire/admin/", ...["admin", "admin-client", "cli", "openapi"].map(folder)],
      },
      to: { path: "^src/wire/admin/" },
    },
    ...Object.entries(homes).map(([name, folders]) => ({
      name: `home-${name}`,
      comment: `${name} lives in ${folders.join(", ")}`,
      severity: "error",
      from: { path: "^src/", pathNot: [...folders.map(folder), "\\.test\\.ts$"] },
      to: { path: `(^|/)node_modules/${name}/` },
    })),
    {
      name: "no-dev-dependency",
      severity: "error",
      from: { path: "^src/", pathNot: "\\.test\\.ts$" },
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
    enhancedResolveOptions: { extensions: [".ts", ".js"], exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
