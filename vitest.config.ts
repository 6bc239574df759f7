import { defineConfig } from "vitest/config";

type Project = { name: string; include: string[]; testTimeout?: number };

/** A suite as it is, and with every model behind a provider of another format: of either of the other two. */
const onEveryCourse = ({ name, ...rest }: Project) =>
  ["straight", "crossed", "turned"].map((course) => ({
    extends: true as const,
    test: { ...rest, name: course === "straight" ? name : `${name}-${course}`, env: { TOLLGATE_TEST_ROUTES: course } },
  }));

/** One project per verb: unit tests beside the code, black-box suites under tests/. */
export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "src/**/*.test.ts",
            "tests/support/**/*.test.ts",
            "tests/repo/**/*.test.ts",
            "tests/bench/**/*.test.ts",
            "tests/ledger/**/*.test.ts",
          ],
        },
      },
      ...onEveryCourse({ name: "contract", include: ["tests/contract/**/*.test.ts"] }),
      { extends: true, test: { name: "conformance", include: ["tests/conformance/**/*.test.ts"] } },
      ...onEveryCourse({ name: "chaos", include: ["tests/chaos/**/*.test.ts"], testTimeout: 180_000 }),
    ],
  },
});
