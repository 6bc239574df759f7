import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The files that take longest by the wall, longest first, as a run prints them at its end. On a machine that has run none yet, Vitest begins
 * with the largest files, and would end with some of these: whatever runs last runs alone. A file that is missing here costs time, and
 * nothing else.
 */
const LONGEST = [
  "tests/ledger/broken-sql.test.ts",
  "tests/ledger/sequential.test.ts",
  "tests/ledger/concurrent.test.ts",
  "tests/conformance/demo.test.ts",
  "tests/conformance/console-sessions.test.ts",
  "tests/conformance/fenced-commands.test.ts",
  "tests/chaos/busy-loop/busy-loop.test.ts",
  "tests/chaos/attack.test.ts",
  "tests/conformance/console-holder.test.ts",
  "tests/conformance/clients/openai-go.test.ts",
  "tests/conformance/package.test.ts",
  "tests/conformance/systemd-page.test.ts",
  "tests/conformance/workers.test.ts",
  "tests/conformance/dev.test.ts",
  "tests/chaos/fuzz.test.ts",
  "tests/conformance/docs-samples.test.ts",
  "tests/chaos/ledger/outages.test.ts",
  "tests/conformance/recorded-crossings.test.ts",
  "tests/conformance/live-hostile.test.ts",
  "tests/conformance/dev-catalogue.test.ts",
  "tests/conformance/proxies.test.ts",
  "tests/chaos/ledger/kill-points.test.ts",
  "tests/conformance/responses-socket-hostile.test.ts",
  "tests/conformance/clients/langchain.test.ts",
  "tests/chaos/chains/caps.test.ts",
  "tests/chaos/chains/year.test.ts",
  "tests/conformance/recordings.test.ts",
  "tests/chaos/ledger/random-kills.test.ts",
  "tests/conformance/operator-commands.test.ts",
  "tests/chaos/ledger/lease-gap.test.ts",
  "tests/chaos/chains/two-ledgers.test.ts",
  "tests/conformance/model-commands.test.ts",
  "tests/conformance/console-operator.test.ts",
  "tests/chaos/failover.test.ts",
  "tests/chaos/rolling-update/rolling-update.test.ts",
  "tests/conformance/crossings/crossings.test.ts",
  "tests/chaos/chains/signed-in-crowd.test.ts",
  "tests/contract/hidden-reasoning/hidden-reasoning.test.ts",
  "tests/conformance/pooler.test.ts",
  "demo/create-demo.test.ts",
  "src/app/catalogue/certify-provider.test.ts",
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
  return place === -1 ? LONGEST.length : place;
};

/** The longest of all projects in front; the others by project, so that those which share modules follow each other. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const byProject = Map.groupBy(sorted, ({ project }) => project.name)
      .values()
      .toArray()
      .flat();
    return byProject.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
