import { makeKey } from "../../contract/operator.ts";
import { type GatewayProcess, startGatewayProcess, type TestModel } from "../../support/gateway-process.ts";
import { type Access, type Client, MAX_TOKENS, PROMPT, TOOL, TOOL_INPUT } from "./client.ts";

/** How a key pays, as the interface names it. */
type KeyMode = "credit" | "token_budget";

const ARGUMENTS = Buffer.from(JSON.stringify(TOOL_INPUT)).toString("base64url");
/** Thinks before everything it says; calls the tool until it has its result. */
export const TALK = `thinking=3+tool=${TOOL.name}+once+tokens=5+arguments=${ARGUMENTS}`;

/** What the simulated provider does under each name; `failures` makes a fault pass after so many calls. */
const SCRIPTS = {
  words: "tokens=5",
  tool: `tool=${TOOL.name}+tokens=4+arguments=${ARGUMENTS}`,
  talk: TALK,
  flaky: "tokens=5+fail=503+failures=1",
  down: "fail=503",
  broken: "tokens=5+fail=error@3",
} as const;

export const WORDS = "amber harbor ocean valley delta";
export const WORDS_BEFORE_FAILURE = "amber harbor ocean";

export type Stage = {
  gateway: GatewayProcess;
  access: (mode: KeyMode, options?: { apiKey?: string; retries?: number }) => Access;
  /** A key without credit, and one whose budget is used up. */
  emptyKeys: { credit: string; token_budget: string };
};

/** The name of a model of one client: each has its own, because a fault that passes remembers who met it. */
export const modelOf = (client: number, script: keyof typeof SCRIPTS | "paused"): string => `${script}-${client}`;

export async function openStage(clients: readonly Client[]): Promise<Stage> {
  const models: Record<string, TestModel> = {};
  for (const [index, { dialect }] of clients.entries()) {
    const names = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];
    for (const name of names)
      models[modelOf(index, name)] = { dialect, upstream: `sim+${SCRIPTS[name]}+input=${10 + index}` };
    models[modelOf(index, "paused")] = { dialect: "chat", upstream: "sim+pause=1+tokens=2" };
  }
  const gateway = await startGatewayProcess({ models });
  const poor = await makeKey(gateway, { credit: "0" });
  const spent = await makeKey(gateway, { mode: "token_budget", budget: 0 });
  return {
    gateway,
    emptyKeys: { credit: poor.secret, token_budget: spent.secret },
    access: (mode, { apiKey = gateway.keys[mode], retries = 0 } = {}) => ({
      origin: mode === "credit" ? gateway.publicUrl : `${gateway.publicUrl}/token`,
      apiKey,
      retries,
    }),
  };
}

/** A stream that holds most of a key's money until the provider is told to go on. */
export async function holdMoney({ gateway }: Stage, apiKey: string, model: string): Promise<() => Promise<void>> {
  const response = await fetch(`${gateway.publicUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
      max_tokens: MAX_TOKENS,
      stream: true,
      messages: [{ role: "user", content: PROMPT }],
    }),
  });
  if (!response.ok) throw new Error(await response.text());
  return async () => {
    await gateway.release();
    await response.text();
  };
}
