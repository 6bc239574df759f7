import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Small files with long runs. On a machine that has run none yet, Vitest begins with the largest files, and would end with these. */
const LONG = ["/tests/ledger/", "/src/app/create-demo.test.ts", "/src/app/certify-provider.test.ts"];

const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((place) => moduleId.includes(place));

/** The order of Vitest with the long ones of each project in front: whatever runs last runs alone. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return Map.groupBy(sorted, ({ project }) => project.name)
      .values()
      .toArray()
      .flatMap((those) => [...those.filter(isLong), ...those.filter((file) => !isLong(file))]);
  }
}
