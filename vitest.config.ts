import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./tests/support/longest-first.ts";

type Project = {
  name: string;
  include: string[];
  /** Where what a provider speaks makes no difference, or little for the time it takes. Tried again in the long run. */
  alike?: string[];
  isolate?: boolean;
};

const short = process.env["TEST_LONG"] !== "1";

const onCourse = ({ name, alike = [], ...rest }: Project, course: string) => ({
  extends: true as const,
  test: {
    ...rest,
    name: course === "straight" ? name : `${name}-${course}`,
    exclude: [...configDefaults.exclude, ...(short && course !== "straight" ? alike : [])],
    env: { TEST_ROUTES: course },
  },
});

/** A suite with every model behind a provider of another format: of either of the other two, or of one of those that no caller speaks. */
const COURSES = ["crossed", "turned", "gemini", "converse"];
const crossings = (project: Project) => COURSES.map((course) => onCourse(project, course));
const onEveryCourse = (project: Project) => [onCourse(project, "straight"), ...crossings(project)];

/** One project per verb: unit tests beside the code, black-box suites under tests/. */
export default defineConfig({
  test: {
    // A bound for what hangs. A machine with other work to do takes ten times as long as a quiet one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 30_000 } },
    pool: "forks",
    // Much of the time is spent waiting, for a lease to run out or a client to try again: four keep two processors busy.
    maxWorkers: 4,
    // What a page starts has bounds of its own, such as ten seconds until a gateway confirms: more at once than this would meet them.
    maxConcurrency: 3,
    sequence: { sequencer: LongestFirst },
    setupFiles: ["tests/support/watch-time.ts", "tests/support/draw-alike.ts"],
    globalSetup: ["tests/support/descriptions.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          // To load the modules anew for each file took 29 of 51 seconds of 141 files. None of them may leave anything behind in a module.
          isolate: false,
          include: [
            "{src,build,demo}/**/*.test.ts",
            "console/src/**/*.test.ts",
            "tests/support/**/*.test.ts",
            "tests/repo/**/*.test.ts",
            "tests/bench/**/*.test.ts",
            "tests/ledger/**/*.test.ts",
            "tests/attack/**/*.test.ts",
          ],
        },
      },
      ...onEveryCourse({
        name: "contract",
        isolate: false,
        include: ["tests/contract/**/*.test.ts"],
        alike: [
          "tests/contract/*/{401,402,403,404,405,409,409-storing-off,429}.test.ts",
          "tests/contract/create-message/200-equal-credentials.test.ts",
          "tests/contract/reservation/advice.test.ts",
          "tests/contract/{changed-keys,get-model,get-usage,health,list-models,model-capabilities,openapi}/*.test.ts",
          "tests/contract/{public-listener,refused-fields,stopped-keys}/*.test.ts",
        ],
      }),
      // As above: to load the modules anew for 8 of its 80 files took 3 seconds of processor time.
      { extends: true, test: { name: "conformance", isolate: false, include: ["tests/conformance/**/*.test.ts"] } },
      // The others say themselves which formats meet.
      ...crossings({ name: "conformance", include: ["tests/conformance/*-stream.test.ts"] }),
      ...onEveryCourse({
        name: "chaos",
        include: ["tests/chaos/**/*.test.ts"],
        alike: [
          "tests/chaos/{attack,burst,drain,failover,fuzz,hung-worker,many-sockets,many-streams,open-files,orphaned-workers,shared-routes,stalled-output,suspended-workers,unread-body}.test.ts",
          // These choose the formats that meet themselves.
          "tests/chaos/{back-and-forth,busy-loop,rolling-update,upgrade}/*.test.ts",
          // These count money, whoever the provider is.
          "tests/chaos/chains/*.test.ts",
          "tests/chaos/ledger/{crowd,forged-notifications,kill-points,lease-gap,outages,random-kills,standby,unconfirmed}.test.ts",
        ],
      }),
    ],
  },
});
