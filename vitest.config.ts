import { defineConfig } from "vitest/config";

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
      { extends: true, test: { name: "contract", include: ["tests/contract/**/*.test.ts"] } },
      { extends: true, test: { name: "conformance", include: ["tests/conformance/**/*.test.ts"] } },
      { extends: true, test: { name: "chaos", include: ["tests/chaos/**/*.test.ts"], testTimeout: 180_000 } },
    ],
  },
});
