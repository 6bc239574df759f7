/**
 * Runs coding agents against a whole gateway with a simulated provider and prints a table: agent, case, what
 * the provider speaks or which cloud it is in, kind of key. What was refused or lost on the way is printed too, because agents recover in silence and show no
 * headers. A dash marks what an agent is known not to do.
 * Before them, each agent answers once with nothing but what `tollgate connect --write` left in an empty home, and agents of somebody who
 * signs in do a task at each provider, meet a limit and are signed out.
 * `--connected` and `--signed-in` run these alone; `--only <text>` runs the trials whose name has it; `--verbose` prints what failing agents
 * said, and `--screens` what signed-in agents showed. Ends with 1 when a trial failed or an agent could not be installed.
 */
import { parseArgs } from "node:util";
import type { Agent } from "../tests/agents/agent.ts";
import { CASES, SEARCH_CASE } from "../tests/agents/agent-case.ts";
import { openAgentsStage, type Trial } from "../tests/agents/agents-stage.ts";
import { claudeCode } from "../tests/agents/claude-code.ts";
import { codex, codexOverSocket } from "../tests/agents/codex.ts";
import { tryConnected } from "../tests/agents/connected-agents.ts";
import { trySignedIn } from "../tests/agents/sign-in/try-signed-in.ts";
import { tryAgent, type Verdict } from "../tests/agents/try-agent.ts";
import { installPackages } from "../tests/support/npm-packages.ts";

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    connected: { type: "boolean" },
    "signed-in": { type: "boolean" },
    verbose: { type: "boolean" },
    screens: { type: "boolean" },
  },
});
/** Of what is asked for alone, or all. */
const runs = (part: "connected" | "signed-in" | "trials"): boolean => {
  const alone = (["connected", "signed-in"] as const).filter((name) => options[name]);
  if (alone.length > 0) return part !== "trials" && alone.includes(part);
  return part === "trials" || options.only === undefined;
};

const folders = new Map<Agent, string>();
let failed = 0;
let limited = 0;
if (runs("connected")) {
  for await (const { client, mode, problems, output } of tryConnected()) {
    if (problems.length > 0) failed += 1;
    console.log(
      `${problems.length > 0 ? "✗" : "✓"} connect ${client.padEnd(12)} ${mode.padEnd(13)} ${problems.join("; ")}`,
    );
    if (problems.length > 0 && options.verbose) console.log(output.trimEnd().replaceAll(/^/gm, "    "));
  }
}
if (runs("signed-in")) {
  for await (const { name, problems, seconds, shown } of trySignedIn()) {
    if (problems.length > 0) failed += 1;
    console.log(
      `${problems.length > 0 ? "✗" : "✓"} ${name.padEnd(30)} ${seconds.toFixed(1).padStart(5)} s  ${problems.join("; ")}`,
    );
    if (options.screens || (problems.length > 0 && options.verbose))
      console.log(shown.trimEnd().replaceAll(/^/gm, "    "));
  }
}
for (const agent of runs("trials") ? [claudeCode, codex, codexOverSocket] : []) {
  const { folder, missing } = await installPackages(agent.folder, agent.packages);
  if (folder === null) {
    failed += 1;
    console.log(`✗ ${agent.name} cannot be installed, so nothing is known about it: ${missing}`);
  } else folders.set(agent, folder);
}

if (runs("trials")) await runTrials();
process.exitCode = failed === 0 ? 0 : 1;

async function runTrials(): Promise<void> {
  const stage = await openAgentsStage([...folders.keys()], [...CASES, SEARCH_CASE]);
  try {
    const trials = stage.trials.filter((trial) => nameOf(trial).includes(options.only ?? ""));
    for (const trial of trials) {
      const verdict = await tryAgent(stage, folders.get(trial.agent) ?? "", trial);
      if (verdict.problems.length > 0) failed += 1;
      if (verdict.limitation !== null) limited += 1;
      report(trial, verdict);
    }
    console.log(`agents: ${trials.length} trials, ${failed} failed, ${limited} known not to pass`);
  } finally {
    await stage.close();
  }
}

function nameOf({ agent, agentCase, place, mode }: Trial): string {
  return `${agent.name.padEnd(12)} ${agentCase.name.padEnd(25)} ${place.name.padEnd(16)} ${mode.padEnd(13)}`;
}

function report(trial: Trial, { problems, limitation, seconds, refused, dropped, output }: Verdict): void {
  const notes = [
    ...Object.entries(refused).map(([what, times]) => `refused ${times} × ${what}`),
    ...(dropped.length === 0 ? [] : [`lost ${dropped.join(", ")}`]),
  ];
  const verdict = problems.length > 0 ? "✗" : limitation === null ? "✓" : "–";
  console.log(
    `${verdict} ${nameOf(trial)} ${seconds.toFixed(1).padStart(5)} s  ${[...problems, ...(limitation === null ? [] : [limitation]), ...notes].join("; ")}`,
  );
  if (problems.length > 0 && options.verbose) console.log(output.trimEnd().replaceAll(/^/gm, "    "));
}
