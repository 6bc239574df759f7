import { DIALECTS } from "../../../src/simulator/dialects.ts";
import { planGeneration, saidAfter } from "../../../src/simulator/plan/generation.ts";
import { DEFAULT_SCRIPT, parseSettings, settingsOfModel } from "../../../src/simulator/plan/script.ts";
import type { Call } from "../../../src/simulator/witness.ts";
import { isObject } from "../../../src/core/bytes/is-object.ts";
import type { ProviderEntry, Tokens } from "./evidence.ts";

export type CountTokens = (text: string) => number;

const MARKER = /mk-[0-9a-z]+-\d+/;

/** What the simulator wrote down of a call, with the usage it will have claimed worked out anew from what it was asked. */
export function providerEntryOf(call: Call, count: CountTokens): ProviderEntry | null {
  const marker = MARKER.exec(JSON.stringify(call.body))?.[0];
  if (marker === undefined || !isObject(call.body) || call.model === null) return null;
  const script = { ...DEFAULT_SCRIPT, ...parseSettings(settingsOfModel(call.model)) };
  const ask = DIALECTS[call.dialect].read(call.body, { model: call.model, streamed: call.streamed });
  const generation = planGeneration({ ask, script, id: "", nowMs: 0 });
  const { usage } = generation;
  const told = !ask.streamed || ask.streamUsage;
  return {
    marker,
    dialect: call.dialect,
    receivedAtMs: call.receivedAtMs,
    status: call.status,
    sentTokens: call.tokensProduced,
    countedTokens: count(saidAfter(generation, call.tokensProduced)),
    usage: usage === null || !told ? null : tokensOf(usage),
    ended: call.ended,
    callerGoneAtMs: call.callerGoneAtMs,
  };
}

/** Figures that a script made wrong are no usage. */
function tokensOf({ inputTokens, outputTokens }: { inputTokens: unknown; outputTokens: unknown }): Tokens | null {
  if (typeof inputTokens !== "number" || typeof outputTokens !== "number") return null;
  return inputTokens < 0 || inputTokens > 1e9 ? null : { inputTokens, outputTokens };
}
