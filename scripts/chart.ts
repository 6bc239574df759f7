/**
 * `npm run chart`: lints the chart, renders it for every value set in deploy/helm/tollgate/ci, checks the manifests against the
 * schemas of Kubernetes, and compares them with deploy/helm/rendered. `--write` writes those instead.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { chartDigest, heading, KUBERNETES, NEEDS_NEWER, RENDERED, valueSets } from "./chart/chart-files.ts";
import { openHelm } from "./chart/helm.ts";
import { openValidator } from "./chart/kubernetes-validate.ts";

/** Values that would install something that does not work, and what the chart says to them. */
const REFUSED: [flag: string, says: RegExp][] = [
  ["settings.drain.dealine_ms=5", /additional properties 'dealine_ms' not allowed/],
  ["settings.database.url=postgres://user:password@db/tollgate", /additional properties 'url' not allowed/],
  ["secrets.adminToken.value=secret", /additional properties 'value' not allowed/],
  ["replicas=3", /additional properties 'replicas' not allowed/],
  ["settings.limits.body_bytes=lots", /got string, want integer/],
  ["settings.drain.deadline_ms=310000", /deadline_ms is 310000: raise it to 315000/],
  ["image.repository=", /image\.repository is empty/],
  ["existingSecret=", /no Secret for DATABASE_URL: set existingSecret, or secrets\.databaseUrl\.name/],
  ["secrets.adminToken.key=", /does not start without TOLLGATE_ADMIN_TOKEN/],
  ["serviceMonitor.enabled=true", /secrets\.metricsToken\.key is empty/],
  ["autoscaling.enabled=true,autoscaling.maxReplicas=1", /maxReplicas is 1: raise it to at least/],
  ["ingress.enabled=true", /minItems: got 0, want 1/],
];

const { values } = parseArgs({ options: { write: { type: "boolean", default: false }, help: { type: "boolean" } } });
if (values.help) {
  console.log(`npm run chart [-- --write]

  Renders deploy/helm/tollgate for every value set in its ci/ folder, with lint and schemas, and compares the result with
  deploy/helm/rendered. Builds Helm once, which takes two to three minutes.

  --write   write deploy/helm/rendered instead of comparing`);
  process.exit(0);
}

const problems: string[] = [];
const helm = await openHelm();
const head = heading(chartDigest());
mkdirSync(RENDERED, { recursive: true });
const files = valueSets().flatMap((set) => {
  const lint = helm.lint(set);
  if (!lint.ok) problems.push(`lint of ${set}: ${lint.output}`);
  const { ok, output } = helm.render(set);
  if (!ok) problems.push(`${set} does not render: ${output}`);
  return [keep(`${set}.yaml`, head + output), keep(`${set}.notes.txt`, helm.notes(set))];
});

for (const [flag, says] of REFUSED) {
  const { ok, output } = helm.render("smallest", "--set", flag);
  if (ok || !says.test(output))
    problems.push(`${flag} must be refused with ${says}; helm said: ${output.slice(0, 500)}`);
}

const validator = await openValidator();
if (validator.missing !== null) problems.push(`kubernetes-validate: ${validator.missing}`);
else
  for (const version of KUBERNETES) {
    const { ok, output, resources } = validator.validate(
      version,
      files.filter(
        (file) => file.endsWith(".yaml") && (version !== KUBERNETES[0] || !NEEDS_NEWER.has(basename(file, ".yaml"))),
      ),
    );
    if (!ok) problems.push(`Kubernetes ${version}: ${output}`);
    console.log(`chart: ${resources} resources fit Kubernetes ${version}`);
  }

for (const problem of problems) console.error(`chart: ${problem}`);
console.log(`chart: ${valueSets().length} value sets, ${REFUSED.length} refused mistakes, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Writes a rendering, or sees that it is the one that is kept. */
function keep(name: string, text: string): string {
  const file = join(RENDERED, name);
  if (values.write) writeFileSync(file, text);
  else if (read(file) !== text)
    problems.push(`${file} is not what the chart renders: run \`npm run chart -- --write\``);
  return file;
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
