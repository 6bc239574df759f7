import { type LoggedRequest, requestLog, requestsDuring } from "../support/request-log.ts";
import type { WitnessedCall } from "../support/simulator-process.ts";
import { until } from "../support/until.ts";
import { type AgentsStage, PRICE, SAID_INPUT, type Trial } from "./agents-stage.ts";
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
  const { agent, agentCase, mode, model, upstream, home, work, file } = trial;
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
  const calls = async (): Promise<WitnessedCall[]> =>
    (await gateway.witness()).filter(({ model: asked }) => asked === upstream);
  const { stopsAfterTokens: stopsAfter, patienceMs } = agentCase;
  const { result: run, requests } = await requestsDuring(gateway, async () => {
    const isEnough = async (): Promise<boolean> =>
      (await calls()).some(({ tokensProduced }) => tokensProduced > (stopsAfter ?? 0));
    const enough = (): Promise<void> => until(isEnough, "the provider writes", patienceMs);
    const ended = await runAgent({ agent, folder, home, work, errand, patienceMs, ...(stopsAfter && { enough }) });
    // What is left behind is logged when the gateway has ended it.
    const isLogged = (): boolean =>
      requestLog(gateway).some((request) => request.model === model && request.outcome !== undefined);
    if (stopsAfter !== undefined) await until(isLogged, "the request is logged").catch(() => undefined);
    return ended;
  });
  const problems = agentCase.problems({ run, requests, file, agent });
  if (agentCase.searches === undefined) problems.push(...misread(requests, await calls(), trial));
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

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** What the gateway counted other than the provider said, or wrote to whoever left. */
function misread(
  requests: readonly LoggedRequest[],
  calls: readonly WitnessedCall[],
  { place, agentCase }: Trial,
): string[] {
  const problems: string[] = [];
  const completed = requests.filter(({ outcome }) => outcome === "completed");
  const inputs = completed.map(({ input_tokens: input }) => input).filter((input) => input !== SAID_INPUT);
  if (inputs.length > 0) problems.push(`it counted ${inputs.join(", ")} of input and not ${SAID_INPUT}`);
  const producedBy = (end: WitnessedCall["ended"]): number =>
    sumOf(calls.filter(({ ended }) => ended === end).map(({ tokensProduced }) => tokensProduced));
  const [output, said] = [sumOf(completed.map(({ output_tokens: tokens }) => tokens)), producedBy("completed")];
  // Thoughts that an agent asked not to be shown are billed, and not written.
  const thought = (agentCase.thoughtTokens ?? 0) * completed.length;
  if (output !== said && output !== said + thought) problems.push(`it counted ${output} of output and not ${said}`);
  for (const { outcome, input_tokens: input, output_tokens: written } of requests) {
    if (outcome !== "client_gone") continue;
    // Only messages say at the start what the input came to, and words are a token or two by our own count.
    if (place.spoken === "messages" ? input !== SAID_INPUT : input === 0)
      problems.push(`left, it counted ${input} of input`);
    if (written === 0 || written > 2 * producedBy("caller_gone"))
      problems.push(`left, it counted ${written} of output of ${producedBy("caller_gone")}`);
  }
  return problems;
}

/** Only what was completed costs anything, and what was sent to whoever left. */
function dueFor(requests: readonly LoggedRequest[], mode: Trial["mode"]): number {
  const price = mode === "credit" ? PRICE : { input: 1, output: 1 };
  return requests
    .filter(({ outcome }) => outcome === "completed" || outcome === "client_gone")
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
