import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SIMULATOR_VARIABLE } from "../../src/cli/dev/dev-catalogue.ts";
import type { KeyMode } from "../../src/core/people/key-mode.ts";
import { makeKey } from "../contract/operator.ts";
import { startStrictProxy } from "../support/clouds/strict-proxy.ts";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../support/gateway-process.ts";
import type { Agent } from "./agent.ts";
import { type AgentCase, specialToolCase } from "./agent-case.ts";
import { type Place, PLACES } from "./places.ts";

/** One cell of the table. */
type Cell = {
  agent: Agent;
  agentCase: AgentCase;
  place: Place;
  mode: KeyMode;
};

/** A cell with a model and folders of its own. */
export type Trial = Cell & {
  model: string;
  /** What the provider is asked for. */
  upstream: string;
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
/** What the provider says that every prompt comes to; the output follows from what it does. */
export const SAID_INPUT = 4_321;
/** Larger than what agents ask for: the limit a messages model publishes caps them, on responses it refuses them. */
const MAX_OUTPUT_TOKENS = 64_000;

/** What the models of these trials cost, in nano-credits per token. */
export const PRICE = { input: 1_000, output: 4_000, search: 10_000_000 };

export async function openAgentsStage(agents: readonly Agent[], cases: readonly AgentCase[]): Promise<AgentsStage> {
  const folder = mkdtempSync(join(tmpdir(), "tg-"));
  // Providers are named before the gateway starts its simulator.
  const clouds = await startStrictProxy(() => null);
  const models: Record<string, TestModel> = {};
  const trials: Trial[] = [];
  for (const cell of agents.flatMap((agent) => PLACES.flatMap((place) => cellsAt(place, agent, cases)))) {
    const { agent, agentCase, place } = cell;
    const number = String(trials.length);
    const [home, work] = [join(folder, number, "home"), join(folder, number, "work")];
    for (const made of [home, work]) mkdirSync(made, { recursive: true });
    const file = join(work, "made.txt");
    const trial = {
      ...cell,
      model: `${agentCase.model ?? "trial"}-${number}`,
      // A delay tells the models of two trials apart: a fault that passes remembers who met it.
      upstream: `${place.model}+input=${SAID_INPUT}+${agentCase.script(agent, file)}+ttft=${number}`,
      home,
      work,
      file,
    };
    trials.push(trial);
    models[trial.model] = {
      spoken: place.spoken,
      ...(place.cloud && { at: place.name }),
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      upstream: trial.upstream,
      price: { input: "1", output: "4", ...(agentCase.searches && { tools: { web_search: "0.01" } }) },
      ...(agentCase.capabilities && { capabilities: agentCase.capabilities }),
    };
  }
  const credential = `env:${SIMULATOR_VARIABLE}`;
  const gateway = await startGatewayProcess({
    models,
    providers: PLACES.flatMap(({ name, cloud }) =>
      cloud === undefined ? [] : [{ name, base_url: clouds.url + cloud.path, platform: cloud.platform, credential }],
    ),
    settings: { TOLLGATE_WEBSOCKET_ENABLED: "on" },
  });
  clouds.leadTo(gateway.simulatorUrl);
  return {
    gateway,
    trials,
    keyFor: async ({ mode, agentCase: { funds } }) => (await makeKey(gateway, { mode, ...FUNDS[funds][mode] })).secret,
    close: async () => {
      await gateway.stop();
      clouds.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** At a provider of the agent's own format every case but those of other formats alone, and elsewhere those that it could spoil. */
function cellsAt(place: Place, agent: Agent, cases: readonly AgentCase[]): Cell[] {
  const isOwn = place.spoken === agent.dialect;
  if (isOwn && place.cloud === undefined)
    return cases
      .filter(({ crosses }) => crosses !== "only")
      .flatMap((agentCase) => agentCase.modes.map((mode) => ({ agent, agentCase, place, mode })));
  // The kind of key does not matter to them, so one will do.
  return [
    ...cases.filter(({ crosses }) => crosses === true || (crosses === "only" && !isOwn)),
    ...(isOwn ? [] : agent.specialTools.map((tool) => specialToolCase(tool))),
  ].map((agentCase) => ({ agent, agentCase, place, mode: "credit" as const }));
}
