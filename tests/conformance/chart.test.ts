import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { KUBERNETES, manifestsOf, RENDERED, valueSets } from "../../scripts/chart/chart-files.ts";
import { openValidator } from "../../scripts/chart/kubernetes-validate.ts";

/** Kinds of others, whose schemas do not come with Kubernetes. */
const FOREIGN = new Set(["ServiceMonitor", "PrometheusRule", "HTTPRoute"]);

const folder = mkdtempSync(join(tmpdir(), "tollgate-manifests-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const validator = await openValidator();
const skipped = validator.missing === null ? "" : ` (skipped: ${validator.missing})`;

test.skipIf(skipped !== "")(
  `every manifest of the chart fits Kubernetes ${KUBERNETES[1]}, and a misspelt field would be noticed${skipped}`,
  () => {
    if (validator.missing !== null) throw new Error(validator.missing);
    const rendered = valueSets().map((set) => join(RENDERED, `${set}.yaml`));
    const misspelt = join(folder, "misspelt.yaml");
    const text = readFileSync(join(RENDERED, "smallest.yaml"), "utf8");
    writeFileSync(misspelt, text.replaceAll("readOnlyRootFilesystem", "readOnlyRootFileSystem"));
    const manifests = rendered
      .flatMap((file) => manifestsOf(readFileSync(file, "utf8")))
      .filter(({ kind }) => !FOREIGN.has(kind));
    // Its deployment and its job have the field.
    const sound = manifestsOf(text).filter(({ kind }) => !["Deployment", "Job"].includes(kind));

    const { output, resources } = validator.validate(KUBERNETES[1], [...rendered, misspelt]);

    const failed = output.split("\n").filter((line) => line.startsWith("ERROR"));
    expect(failed.filter((line) => !line.includes(misspelt))).toEqual([]);
    expect(failed.map((line) => /for resource (\S+)/.exec(line)?.[1])).toEqual([
      "deployment/tollgate",
      "job/tollgate-migrate",
    ]);
    expect(resources).toBe(manifests.length + sound.length);
  },
);
