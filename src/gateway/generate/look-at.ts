import type { InFlight } from "../../core/request/in-flight.ts";
import { redact } from "../../telemetry/log/redact.ts";
import type { CallState } from "./generation.ts";

const AGENT_CHARACTERS = 120;
/** What is looked through for a secret, before it is cut: half a secret is not known for one. */
const AGENT_READ = 1_000;

/** What a generation has come to, for whoever looks from outside. Nothing is kept up for it. */
export function lookAt(state: CallState): InFlight {
  const { generation, model, held, sink, clock, asked, firstByteMs } = state;
  const { id, caller, request, startedAtMs, agent } = generation;
  const { key } = caller;
  const now = state.soFar?.() ?? null;
  return {
    id,
    keyId: key.id,
    keyPrefix: key.prefix,
    keyLabel: key.label,
    accounts: sink.accounts,
    dialect: request.dialect,
    streamed: request.stream,
    model: model.id,
    provider: asked?.route.provider ?? null,
    agent: agent === undefined ? null : harmless(agent),
    ageMs: Math.round(clock.elapsedMs() - startedAtMs),
    firstByteMs: firstByteMs === null ? null : Math.round(firstByteMs),
    reserved: held.hold.reserved,
    soFar: now && { outputTokens: now.usage.outputTokens, cost: now.cost },
  };
}

/** A client may send what it likes: a secret, or what a terminal takes for a command. */
const harmless = (agent: string): string =>
  redact(agent.slice(0, AGENT_READ))
    .slice(0, AGENT_CHARACTERS)
    .replaceAll(/[^ -~]/g, "?");
