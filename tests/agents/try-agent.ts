import { type LoggedRequest, requestsDuring } from "../support/request-log.ts";
import { type AgentsStage, PRICE, type Trial } from "./agents-stage.ts";
import { overhear } from "./overhear.ts";
import { runAgent } from "./run-agent.ts";

export type Verdict = {
  problems: string[];
  /** Why the agent was not expected to pass, and did not. */
  limitation: string | null;
  seconds: number;
  /** What the gateway refused, as `400 invalid_request (messages.1.role)`, and how often. */
  refused: Record<string, number>;
  /** What the gateway declared to be lost on the way to the provider. */
  dropped: string[];
  output: string;
};

/** One agent, one case, one key: run it, and hold what it showed against what the gateway logged and charged. */
export async function tryAgent(stage: AgentsStage, folder: string, trial: Trial): Promise<Verdict> {
  const { gateway } = stage;
  const { agent, agentCase, mode, model, home, work, file } = trial;
  const apiKey = await stage.keyFor(trial);
  const origin = mode === "credit" ? gateway.publicUrl : `${gateway.publicUrl}/token`;
  await using overheard = await overhear(gateway.publicUrl);
  const reached = origin.replace(gateway.publicUrl, overheard.origin);
  const errand = {
    mode,
    origin: reached,
    apiKey,
    model,
    prompt: agentCase.prompt,
    searches: agentCase.searches !== undefined,
  };
  const { result: run, requests } = await requestsDuring(gateway, () =>
    runAgent({ agent, folder, home, work, errand, patienceMs: agentCase.patienceMs }),
  );
  const problems = agentCase.problems({ run, requests, file, agent });
  const sockets = requests.filter(({ route, status }) => route === "responses_socket" && status === 101);
  if (agent.overSocket !== undefined && sockets.length === 0) problems.push("it opened no WebSocket");
  const charged = await chargedTo(apiKey, origin);
  const due = dueFor(requests, mode) + (agentCase.searches ?? 0) * PRICE.search;
  if (charged !== due) problems.push(`charged ${charged} and not ${due}`);
  if (run.timedOut) problems.push("it did not end in time");
  const shown = {
    seconds: run.seconds,
    refused: refusedOf(requests),
    dropped: overheard.dropped(),
    output: run.output,
  };
  const limitation = agent.limitations?.[agentCase.name];
  if (limitation !== undefined && problems.length === 0) problems.push(`it is listed that it ${limitation}`);
  else if (limitation !== undefined) return { ...shown, problems: [], limitation };
  return { ...shown, problems, limitation: null };
}

/** In nano-credits, or in tokens. */
async function chargedTo(apiKey: string, origin: string): Promise<number> {
  const response = await fetch(`${origin}/v1/usage`, { headers: { authorization: `Bearer ${apiKey}` } });
  const { credits, tokens } = (await response.json()) as { credits: { used: number }; tokens: { used: number } };
  return origin.endsWith("/token") ? tokens.used : Math.round(credits.used * 1e9);
}

/** Only what was completed costs anything. */
function dueFor(requests: readonly LoggedRequest[], mode: Trial["mode"]): number {
  const price = mode === "credit" ? PRICE : { input: 1, output: 1 };
  return requests
    .filter(({ outcome }) => outcome === "completed")
    .reduce((sum, request) => sum + request.input_tokens * price.input + request.output_tokens * price.output, 0);
}

function refusedOf(requests: readonly LoggedRequest[]): Record<string, number> {
  const refused: Record<string, number> = {};
  for (const { status, code, error } of requests) {
    if (status < 400) continue;
    const name = [status, code, ...(error?.param ? [`(${error.param})`] : [])].join(" ");
    refused[name] = (refused[name] ?? 0) + 1;
  }
  return refused;
}
