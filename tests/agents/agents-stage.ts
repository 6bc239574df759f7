import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROVIDER_DIALECTS, type ProviderDialect } from "../../src/core/request/dialect.ts";
import type { KeyMode } from "../../src/core/people/key-mode.ts";
import { makeKey } from "../contract/operator.ts";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";
import type { Agent } from "./agent.ts";
import { type AgentCase, specialToolCase } from "./agent-case.ts";

/** One cell of the table. */
type Cell = {
  agent: Agent;
  agentCase: AgentCase;
  /** What the model's only provider speaks. */
  provider: ProviderDialect;
  mode: KeyMode;
};

/** A cell with a model and folders of its own. */
export type Trial = Cell & {
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
  rich: { credit: { credit: "5" }, token_budget: { budget: 5_000_000 } },
  "too little": { credit: { credit: "0.000001" }, token_budget: { budget: 1 } },
  "used up": { credit: { credit: "0" }, token_budget: { budget: 0 } },
} as const;
/** Larger than what agents ask for: the limit a messages model publishes caps them, on responses it refuses them. */
const MAX_OUTPUT_TOKENS = 64_000;

/** What the models of these trials cost, in nano-credits per token. */
export const PRICE = { input: 1_000, output: 4_000, search: 10_000_000 };

export async function openAgentsStage(agents: readonly Agent[], cases: readonly AgentCase[]): Promise<AgentsStage> {
  const folder = mkdtempSync(join(tmpdir(), "tg-"));
  const models: Record<string, TestModel> = {};
  const trials: Trial[] = [];
  for (const cell of agents.flatMap((agent) => [...ownCells(agent, cases), ...crossingCells(agent, cases)])) {
    const { agent, agentCase, provider } = cell;
    const place = String(trials.length);
    const [home, work] = [join(folder, place, "home"), join(folder, place, "work")];
    for (const made of [home, work]) mkdirSync(made, { recursive: true });
    const trial = {
      ...cell,
      model: `${agentCase.model ?? "trial"}-${place}`,
      home,
      work,
      file: join(work, "made.txt"),
    };
    trials.push(trial);
    models[trial.model] = {
      spoken: provider,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      // A delay tells the models of two trials apart: a fault that passes remembers who met it.
      upstream: `sim+${agentCase.script(agent, trial.file)}+ttft=${place}`,
      price: { input: "1", output: "4", ...(agentCase.searches && { tools: { web_search: "0.01" } }) },
      ...(agentCase.capabilities && { capabilities: agentCase.capabilities }),
    };
  }
  const gateway = await startGatewayProcess({ models, settings: { TOLLGATE_WEBSOCKET_ENABLED: "on" } });
  return {
    gateway,
    trials,
    keyFor: async ({ mode, agentCase: { funds } }) => (await makeKey(gateway, { mode, ...FUNDS[funds][mode] })).secret,
    close: async () => {
      await gateway.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Every case but those of other formats alone, with a provider of the agent's own. */
const ownCells = (agent: Agent, cases: readonly AgentCase[]): Cell[] =>
  cases
    .filter(({ crosses }) => crosses !== "only")
    .flatMap((agentCase) => agentCase.modes.map((mode) => ({ agent, agentCase, provider: agent.dialect, mode })));

/** Cases that a provider of another format could spoil. The kind of key does not matter to that, so one will do. */
const crossingCells = (agent: Agent, cases: readonly AgentCase[]): Cell[] =>
  PROVIDER_DIALECTS.filter((provider) => provider !== agent.dialect).flatMap((provider) =>
    [...cases.filter(({ crosses }) => crosses), ...agent.specialTools.map((tool) => specialToolCase(tool))].map(
      (agentCase) => ({ agent, agentCase, provider, mode: "credit" as const }),
    ),
  );
