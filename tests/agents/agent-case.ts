import { existsSync, readFileSync } from "node:fs";
import type { KeyMode } from "../../src/core/people/key-mode.ts";
import type { LoggedRequest } from "../support/request-log.ts";
import type { Agent, SpecialTool } from "./agent.ts";
import type { AgentRun } from "./run-agent.ts";
import { toolScript } from "./tool-script.ts";

export const WORDS = "amber harbor ocean valley delta kelp";
export const CONTENT = "left by a tool";
const THOUGHT_TOKENS = 4;

/** What is known when an agent has ended. */
export type Evidence = { run: AgentRun; requests: readonly LoggedRequest[]; file: string; agent: Agent };

export type AgentCase = {
  name: string;
  prompt: string;
  /** Keys of this case. A used-up budget is refused in other words than one that is too small. */
  funds: "rich" | "too little" | "used up";
  modes: readonly KeyMode[];
  /** Also tried where the model's only provider speaks another format. */
  crosses?: true | "only";
  /** What the model is declared to be able to do. */
  capabilities?: Record<string, unknown>;
  /** So often the provider searches the web. */
  searches?: number;
  /** So many tokens the provider thinks in each answer. */
  thoughtTokens?: number;
  /** How the name of the model begins, for agents that go by it. */
  model?: string;
  /** Its user stops it when the provider has written so much. */
  stopsAfterTokens?: number;
  /** The agent is ended when it has not by then. */
  patienceMs: number;
  /** What the simulated provider does. */
  script: (agent: Agent, file: string) => string;
  /** What is wrong with how it went; nothing, when all is well. */
  problems: (evidence: Evidence) => string[];
};

const wrong = (problem: string, holds: boolean): string[] => (holds ? [] : [problem]);

const answered = ({ run }: Evidence): string[] => [
  ...wrong(`it ended with ${run.code}`, run.code === 0),
  ...wrong("the answer was not shown", run.output.includes(WORDS)),
];

const ends = ({ requests }: Evidence, ...outcomes: string[]): string[] => {
  const seen = requests.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]));
  return wrong(`the requests ended ${seen.join(", ") || "nowhere"}`, seen.join() === outcomes.join());
};

const recovered = (evidence: Evidence): string[] => [
  ...answered(evidence),
  ...ends(evidence, "upstream_failed", "completed"),
];

const toldWhy = (evidence: Evidence, words: string): string[] => [
  ...wrong("it ended well", evidence.run.code !== 0),
  ...wrong("our message was not shown", evidence.run.output.includes(words)),
  ...ends(evidence),
];

const calledTool = (evidence: Evidence): string[] => [
  ...answered(evidence),
  ...ends(evidence, "completed", "completed"),
];

const wroteFile = (evidence: Evidence): string[] => {
  const { file } = evidence;
  const written = existsSync(file) ? readFileSync(file, "utf8").trimEnd() : "";
  return [...calledTool(evidence), ...wrong("its tool left nothing", written === CONTENT)];
};

const USUAL = { modes: ["credit", "token_budget"], patienceMs: 90_000 } as const;

export const CASES: readonly AgentCase[] = [
  {
    name: "answers",
    prompt: "Say something.",
    funds: "rich",
    ...USUAL,
    crosses: true,
    script: () => "tokens=6",
    problems: (evidence) => [...answered(evidence), ...ends(evidence, "completed")],
  },
  {
    name: "uses a tool",
    prompt: "Write the file.",
    funds: "rich",
    ...USUAL,
    crosses: true,
    script: (agent, file) => toolScript(agent.writeFile(file, CONTENT)),
    problems: wroteFile,
  },
  {
    name: "thinks and uses a tool",
    prompt: "Write the file.",
    funds: "rich",
    ...USUAL,
    crosses: true,
    thoughtTokens: THOUGHT_TOKENS,
    // The provider refuses thoughts that do not come back as it signed them.
    script: (agent, file) => `thinking=${THOUGHT_TOKENS}+${toolScript(agent.writeFile(file, CONTENT))}`,
    problems: wroteFile,
  },
  {
    name: "uses a tool, cannot think",
    prompt: "Write the file.",
    funds: "rich",
    ...USUAL,
    // In the agent's own format its request passes as it is, and the provider refuses it.
    crosses: "only",
    capabilities: { reasoning: false },
    script: (agent, file) => `thoughtless+${toolScript(agent.writeFile(file, CONTENT))}`,
    problems: wroteFile,
  },
  {
    name: "uses two tools at once",
    prompt: "Write the file.",
    funds: "rich",
    ...USUAL,
    crosses: true,
    // Twice the same call: providers refuse the second request unless both results are in it, each once.
    script: (agent, file) => toolScript(agent.writeFile(file, CONTENT)).replace(/tool=(\w+)/, "tools=$1,$1"),
    problems: wroteFile,
  },
  {
    name: "cannot pay",
    prompt: "Say something.",
    funds: "too little",
    ...USUAL,
    script: () => "tokens=6",
    problems: (evidence) => toldWhy(evidence, "this request needs at least"),
  },
  {
    name: "budget used up",
    prompt: "Say something.",
    funds: "used up",
    modes: ["token_budget"],
    patienceMs: 15_000,
    script: () => "tokens=6",
    problems: (evidence) => toldWhy(evidence, "This key's token budget is used up"),
  },
  {
    name: "outlives a refusal",
    prompt: "Say something.",
    funds: "rich",
    ...USUAL,
    script: () => "tokens=6+fail=503+failures=1",
    problems: (evidence) => [
      ...answered(evidence),
      ...wrong(
        "it was not refused",
        evidence.requests.some(({ code }) => code === "provider_unavailable"),
      ),
      ...ends(evidence, "completed"),
    ],
  },
  {
    name: "outlives a failed stream",
    prompt: "Say something.",
    funds: "rich",
    ...USUAL,
    crosses: true,
    script: () => "tokens=6+fail=error@3+failures=1",
    problems: recovered,
  },
  {
    name: "outlives a cut stream",
    prompt: "Say something.",
    funds: "rich",
    ...USUAL,
    script: () => "tokens=6+fail=reset@3+failures=1",
    problems: recovered,
  },
  {
    name: "is stopped amid a stream",
    prompt: "Say something.",
    funds: "rich",
    ...USUAL,
    crosses: true,
    script: () => "tokens=20000+rate=50",
    stopsAfterTokens: 40,
    problems: (evidence) => ends(evidence, "client_gone"),
  },
];

/** The provider's own search, which no provider of another format runs. Keys with a token budget have no money for it. */
export const SEARCH_CASE: AgentCase = {
  name: "searches the web",
  prompt: "Search the web for tides.",
  funds: "rich",
  modes: ["credit"],
  patienceMs: 90_000,
  searches: 2,
  script: ({ searchScript }) => `${searchScript.script}+searches=2+found=500`,
  problems: (evidence) => [...answered(evidence), ...ends(evidence, ...evidence.agent.searchScript.outcomes)],
};

/** A special tool, with a provider of another format: in its own the simulator cannot be made to call it. */
export const specialToolCase = ({ name, model, call }: SpecialTool): AgentCase => ({
  name: `uses ${name}`,
  prompt: "Write the file.",
  funds: "rich",
  ...USUAL,
  ...(model && { model }),
  script: (_, file) => toolScript(typeof call === "function" ? call(file, CONTENT) : call),
  problems: typeof call === "function" ? wroteFile : calledTool,
});
