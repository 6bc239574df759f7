/** The projects of vitest.config.ts that the gate runs: each suite, and one of the three ways to put a model behind another format. */
export const GATE_SUITES = [
  "unit",
  "contract",
  "conformance",
  "chaos",
  "contract-crossed",
  "conformance-crossed",
  "chaos-crossed",
] as const;

/** Those that only the long run has. */
export const LONG_SUITES = [
  "contract-turned",
  "contract-gemini",
  "contract-converse",
  "conformance-turned",
  "conformance-gemini",
  "conformance-converse",
  "chaos-turned",
  "chaos-gemini",
  "chaos-converse",
] as const;

export type Suite = (typeof GATE_SUITES)[number] | (typeof LONG_SUITES)[number];

/** What is no suite of tests but a run of its own, by the word after `chaos`. */
export const CHAOS_RUNS: Readonly<Record<string, string>> = {
  "back-and-forth": "tests/chaos/back-and-forth/main.ts",
  patroni: "tests/chaos/patroni/main.ts",
  restore: "tests/chaos/restore/main.ts",
  "rolling-update": "tests/chaos/rolling-update/main.ts",
  standby: "tests/chaos/restore/standby.ts",
  upgrade: "tests/chaos/upgrade/main.ts",
};
