import { existsSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { whyUnavailable } from "../../tests/support/postgres-binaries.ts";
import type { Suite } from "./suites.ts";

export type Part = {
  name: string;
  about: string;
  /** As long as it took where it was measured, on two cores; null where it was not. */
  minutes: number | null;
  needs: readonly Need[];
  /** A word that begins with `$` is a variable of the environment. */
  run: { script: string; words?: readonly string[] } | { suites: readonly Suite[] };
  /** It ends with another code than 3, and says this, where it cannot install what it needs. */
  notRunWhen?: RegExp;
};

export type Need =
  | "PostgreSQL 15"
  | "Chromium"
  | "Java and Maven"
  | "Go"
  | "tmux and unshare"
  | "root, podman, buildah, runc and debootstrap"
  | "root, unshare, openssl and Prometheus"
  | "an earlier version in the history"
  | "TOLLGATE_BENCH_DATABASE";

const missingOf = (...programs: string[]): string | null => {
  const missing = programs.filter((program) => spawnSync("which", [program]).status !== 0);
  return missing.length === 0 ? null : `${missing.join(", ")} not installed`;
};

/** Why a part that needs this cannot run here, or null. */
export const WHY_MISSING: Readonly<Record<Need, () => string | null>> = {
  "PostgreSQL 15": () => whyUnavailable("15"),
  Chromium: () => (existsSync("/usr/bin/chromium") ? null : "no chromium in /usr/bin"),
  "Java and Maven": () => missingOf("java", "mvn"),
  Go: () => missingOf("go"),
  "tmux and unshare": () => missingOf("tmux", "unshare"),
  "root, podman, buildah, runc and debootstrap": () =>
    process.getuid?.() === 0 ? missingOf("podman", "buildah", "runc", "debootstrap") : "not root",
  "root, unshare, openssl and Prometheus": () =>
    process.getuid?.() === 0 ? missingOf("unshare", "openssl", "prometheus") : "not root",
  "an earlier version in the history": () =>
    spawnSync("git", ["rev-parse", "--verify", "--quiet", "HEAD~1"]).status === 0 ? null : "the clone is shallow",
  TOLLGATE_BENCH_DATABASE: () =>
    process.env["TOLLGATE_BENCH_DATABASE"] === undefined
      ? "TOLLGATE_BENCH_DATABASE is not set to the URL of a database that tests/bench/plant-records.ts planted"
      : null,
};

const POSTGRES: readonly Need[] = ["PostgreSQL 15"];
const EARLIER: readonly Need[] = ["PostgreSQL 15", "an earlier version in the history"];

/** The cheap ones first: what is broken is known early. */
export const LONG_PARTS: readonly Part[] = [
  {
    name: "workflows",
    about: "the workflows with actionlint, which is built once",
    minutes: null,
    needs: ["Go"],
    run: { script: "workflows" },
    notRunWhen: /cannot be built here/,
  },
  {
    name: "chart",
    about: "the Helm chart for every value set; builds Helm once",
    minutes: 3,
    needs: ["Go"],
    run: { script: "chart" },
    notRunWhen: /cannot be built here/,
  },
  {
    name: "site",
    about: "the documentation site, its links and weights",
    minutes: null,
    needs: [],
    run: { script: "site" },
  },
  {
    name: "console-pages",
    about: "every page of both consoles in a browser: axe, complaints, widths; pictures in .gate/long/console-pages",
    minutes: null,
    needs: ["Chromium"],
    run: { script: "console", words: ["--pages", ".gate/long/console-pages"] },
  },
  {
    name: "unit",
    about: "unit tests with every case of their properties",
    minutes: null,
    needs: POSTGRES,
    run: { suites: ["unit"] },
  },
  {
    name: "contract",
    about: "the contract suite on every course, with the files that the gate leaves out",
    minutes: null,
    needs: [],
    run: { suites: ["contract", "contract-crossed", "contract-turned", "contract-gemini", "contract-converse"] },
  },
  {
    name: "conformance",
    about: "the conformance suite in full size, and recordings and streams in every crossing",
    minutes: null,
    needs: POSTGRES,
    run: {
      suites: [
        "conformance",
        "conformance-crossed",
        "conformance-turned",
        "conformance-gemini",
        "conformance-converse",
      ],
    },
  },
  { name: "chaos", about: "chaos in full size", minutes: null, needs: POSTGRES, run: { suites: ["chaos"] } },
  {
    name: "chaos-crossed",
    about: "the same, every model behind another format",
    minutes: null,
    needs: POSTGRES,
    run: { suites: ["chaos-crossed"] },
  },
  {
    name: "chaos-turned",
    about: "the same, the other way round",
    minutes: null,
    needs: POSTGRES,
    run: { suites: ["chaos-turned"] },
  },
  {
    name: "chaos-gemini",
    about: "the same, behind a format that no client uses",
    minutes: null,
    needs: POSTGRES,
    run: { suites: ["chaos-gemini"] },
  },
  {
    name: "chaos-converse",
    about: "the same, behind a format in frames that no client uses",
    minutes: null,
    needs: POSTGRES,
    run: { suites: ["chaos-converse"] },
  },
  {
    name: "chains",
    about: "100,000 holds over chains of accounts",
    minutes: null,
    needs: POSTGRES,
    run: { script: "chaos:chains" },
  },
  {
    name: "mutants",
    about: "breaks the ledger on purpose",
    minutes: null,
    needs: POSTGRES,
    run: { script: "test:mutants" },
  },
  {
    name: "price-mutants",
    about: "breaks the price function on purpose",
    minutes: null,
    needs: [],
    run: { script: "test:price-mutants" },
  },
  {
    name: "fuzz",
    about: "200,000 hostile requests over every route",
    minutes: null,
    needs: POSTGRES,
    run: { script: "fuzz" },
  },
  {
    name: "attack",
    about: "attacks by a client with a valid key",
    minutes: null,
    needs: POSTGRES,
    run: { script: "attack" },
  },
  {
    name: "restore",
    about: "loses a server under load and restores its archive",
    minutes: null,
    needs: POSTGRES,
    run: { script: "chaos", words: ["restore"] },
  },
  {
    name: "standby",
    about: "loses a server under load and promotes its standby",
    minutes: null,
    needs: POSTGRES,
    run: { script: "chaos", words: ["standby"] },
  },
  {
    name: "faults",
    about: "faults under traffic, and after how long each place where operators look says so",
    minutes: 8,
    needs: ["PostgreSQL 15", "root, unshare, openssl and Prometheus"],
    run: { script: "faults" },
  },
  {
    name: "panels",
    about: "every panel and rule of the chart on a Prometheus that scrapes two gateways under load as the chart has it",
    minutes: 2,
    needs: POSTGRES,
    run: { script: "panels" },
    notRunWhen: /^not run: /m,
  },
  {
    name: "managed",
    about:
      "the ledger and contract suites without a superuser, on PostgreSQL 15 to 18, which are installed into a cache",
    minutes: null,
    needs: [],
    run: { script: "managed" },
    notRunWhen: /was not tested:/,
  },
  {
    name: "upgrade",
    about: "an earlier version and this one on one database, under load",
    minutes: null,
    needs: EARLIER,
    run: { script: "chaos", words: ["upgrade"] },
  },
  {
    name: "rolling-update",
    about: "a rolling update with the times of the chart",
    minutes: null,
    needs: EARLIER,
    run: { script: "chaos", words: ["rolling-update"] },
  },
  {
    name: "back-and-forth",
    about: "this version and a later one on one database, there and back again under load",
    minutes: null,
    needs: POSTGRES,
    run: { script: "chaos", words: ["back-and-forth"] },
  },
  {
    name: "patroni",
    about: "three servers under Patroni, etcd and HAProxy, which are installed into a cache",
    minutes: 15,
    needs: POSTGRES,
    run: { script: "chaos", words: ["patroni"] },
  },
  {
    name: "keycloak",
    about: "single sign-on against Keycloak, which is installed into a cache",
    minutes: null,
    needs: ["PostgreSQL 15", "Java and Maven"],
    run: { script: "keycloak" },
  },
  {
    name: "agents",
    about: "Claude Code and Codex, installed into a cache, through every trial, with every format and cloud",
    minutes: null,
    needs: POSTGRES,
    // An empty pattern matches every trial, and leaves out the two parts below.
    run: { script: "agents", words: ["--only="] },
  },
  {
    name: "agents-connected",
    about: "agents after `tollgate connect --write`",
    minutes: null,
    needs: POSTGRES,
    run: { script: "agents", words: ["--connected"] },
  },
  {
    name: "agents-signed-in",
    about: "agents of a person who signs in",
    minutes: null,
    needs: ["PostgreSQL 15", "tmux and unshare"],
    run: { script: "agents", words: ["--signed-in"] },
  },
  {
    name: "agents-reference",
    about: "the gateway of Claude Code and ours, asked the same things",
    minutes: null,
    needs: [],
    run: { script: "agents:reference" },
    notRunWhen: /cannot be installed, so nothing was compared/,
  },
  {
    name: "artefacts",
    about: "builds the image twice, and types the commands of its pages",
    minutes: null,
    needs: ["PostgreSQL 15", "root, podman, buildah, runc and debootstrap"],
    run: { script: "artefacts" },
  },
  {
    name: "bench",
    about: "speed and cost next to a bare proxy; fails when a goal is missed",
    minutes: 30,
    needs: POSTGRES,
    run: { script: "bench", words: ["--assert"] },
  },
  {
    name: "bench-plane",
    about: "plants 5,000,000 records, and times every read of the admin API beside generations",
    minutes: null,
    needs: POSTGRES,
    run: { script: "bench:plane" },
  },
  {
    name: "bench-verification",
    about: "generations beside a gateway that verifies the ledger, and alone",
    minutes: 15,
    needs: POSTGRES,
    run: { script: "bench:verification" },
  },
  {
    name: "bench-console",
    about: "every page of the console over planted records",
    minutes: null,
    needs: ["Chromium", "TOLLGATE_BENCH_DATABASE"],
    run: { script: "bench:console", words: ["--database", "$TOLLGATE_BENCH_DATABASE"] },
  },
  {
    name: "bench-soak",
    about: "an hour under steady load: does anything drift?",
    minutes: 60,
    needs: POSTGRES,
    run: { script: "bench:soak" },
  },
];

/** Scripts of package.json that test nothing, or only what is in the gate already. */
export const NO_TEST: Readonly<Record<string, string>> = {
  "price-vectors": "charges bills from a file that is named to it; unit tests have those that settle a rule",
  schema: "writes edition.json; `npm run check` compares it",
  dev: "starts a gateway to work with",
  predev:
    "builds the console before the first gateway of a clone, and makes the descriptions; tests/conformance/fresh-clone.test.ts runs both",
  pretollgate: "makes the descriptions where they are missing",
  descriptions: "makes the descriptions; every run of the tests does so first",
  tollgate: "the command itself",
  fix: "changes files",
  build: "builds the package; conformance installs and runs it",
  prepack: "the same as build, before npm packs",
  "spec-coverage": "a list to read; check runs it with --check",
  gate: "is the gate",
  long: "is the long run",
};
