import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeyMode } from "../../src/core/key-mode.ts";
import { makeKey } from "../contract/make-key.ts";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";
import type { Agent } from "./agent.ts";
import type { AgentCase } from "./agent-case.ts";

/** One cell of the table: an agent, a case and a kind of key, with a model and folders of their own. */
export type Trial = {
  agent: Agent;
  agentCase: AgentCase;
  mode: KeyMode;
  model: string;
  home: string;
  work: string;
  file: string;
};

export type AgentsStage = {
  gateway: GatewayProcess;
  trials: readonly Trial[];
  keyFor: (trial: Trial) => Promise<string>;
  close: () => Promise<void>;
};

const FUNDS = {
  rich: { credit: "5", token_budget: "5000000" },
  "too little": { credit: "0.000001", token_budget: "1" },
  "used up": { credit: "0", token_budget: "0" },
} as const;
/** Larger than what agents ask for: the limit a messages model publishes caps them, on responses it refuses them. */
const MAX_OUTPUT_TOKENS = 64_000;

/** What the models of these trials cost, in nano-credits per token. */
export const PRICE = { input: 1_000, output: 4_000 };

export async function openAgentsStage(agents: readonly Agent[], cases: readonly AgentCase[]): Promise<AgentsStage> {
  const folder = mkdtempSync(join(tmpdir(), "tg-"));
  const models: Record<string, TestModel> = {};
  const trials: Trial[] = [];
  for (const agent of agents)
    for (const agentCase of cases)
      for (const mode of agentCase.modes) {
        const place = String(trials.length);
        const [home, work] = [join(folder, place, "home"), join(folder, place, "work")];
        for (const made of [home, work]) mkdirSync(made, { recursive: true });
        const trial = { agent, agentCase, mode, model: `trial-${place}`, home, work, file: join(work, "made.txt") };
        trials.push(trial);
        models[trial.model] = {
          dialect: agent.dialect,
          maxOutputTokens: MAX_OUTPUT_TOKENS,
          // A delay tells the models of two trials apart: a fault that passes remembers who met it.
          upstream: `sim+${agentCase.script(agent, trial.file)}+ttft=${place}`,
          price: { input: "1", output: "4" },
        };
      }
  const gateway = await startGatewayProcess({ models });
  return {
    gateway,
    trials,
    keyFor: async ({ mode, agentCase: { funds } }) => {
      const option = mode === "credit" ? "--credit" : "--budget";
      return (await makeKey(gateway, "--mode", mode, option, FUNDS[funds][mode])).secret;
    },
    close: async () => {
      await gateway.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
