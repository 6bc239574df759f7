import { readFileSync } from "node:fs";
import { GATE_SUITES } from "./suites.ts";

export type Step = {
  name: string;
  about: string;
  /** A script of package.json, or a command. */
  run: { script: string } | { words: readonly [string, ...string[]]; env?: Readonly<Record<string, string>> };
};

/** What was found to differ on the oldest Node lay in sockets and streams. All else runs on the Node of .nvmrc. */
const ON_OLDEST = [
  "src/http/",
  "src/relay/",
  "src/upstream/",
  "src/simulator/simulator.test.ts",
  "tests/conformance/serve.test.ts",
];

/** `further` goes to the tests. */
export function gateSteps(further: readonly string[] = []): readonly Step[] {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } };
  const oldest = engines.node.replace(">=", "");
  return [
    { name: "console", about: "installs what the console is built with, and builds it", run: { script: "console" } },
    {
      name: "audit",
      about: "asks the registry for known vulnerabilities",
      run: { words: ["node", "scripts/audit.ts"] },
    },
    {
      name: "check",
      about: "types, lint, format, unused code, the import law, generated pages",
      run: { script: "check" },
    },
    {
      name: "oldest-node",
      about: `sockets, streams and a whole process on Node ${oldest}, the oldest that works`,
      run: {
        words: ["scripts/with-node", "vitest", "run", "--project", "unit", "--project", "conformance", ...ON_OLDEST],
        env: { TOLLGATE_NODE: oldest },
      },
    },
    {
      name: "tests",
      about: `the suites ${GATE_SUITES.join(", ")}; slow ones in a short version`,
      run: { words: ["node", "scripts/test.ts", ...GATE_SUITES, ...further] },
    },
  ];
}

export function chooseSteps(steps: readonly Step[], { from, only }: { from?: string; only?: string }): readonly Step[] {
  if (from !== undefined && only !== undefined) throw new Error("--from and --only exclude each other");
  const names = (from ?? only ?? "").split(",").map((name) => name.trim());
  if (from === undefined && only === undefined) return steps;
  const unknown = names.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) throw new Error(`no step is called ${unknown.join(", ")}; --list shows them`);
  if (from !== undefined) return steps.slice(steps.findIndex(({ name }) => name === from));
  return steps.filter(({ name }) => names.includes(name));
}
