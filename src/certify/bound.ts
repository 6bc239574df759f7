import type { ClientDialect } from "../core/request/dialect.ts";
import { mediaTokensOf, mostInputTokens } from "../core/request/media-tokens.ts";
import { creditRate, roundedUp } from "../core/money/pay-rate.ts";
import { estimateInput } from "../tokens/estimate-input.ts";
import { readModelInput } from "../wire/model-input.ts";
import { bodyOf } from "./questions.ts";
import type { Subject, Trial } from "./trial.ts";

/** Of an answer that is sent back in the next turn, with its result. Reasoning and its seal may be in it. */
export const TURN_BYTES = 8_192;

/** The most a call can cost: its input as the gateway reserves it, and all the output it may have. */
export function boundOf(subject: Subject, call: { dialect: ClientDialect; body: object; addedBytes?: number }): bigint {
  const bytes = Buffer.from(JSON.stringify(call.body));
  const tokens = mediaTokensOf({ capabilities: subject.capabilities, routes: [subject] });
  const estimate = estimateInput(
    readModelInput({ dialect: call.dialect, bytes }),
    bytes.length + (call.addedBytes ?? 0),
  );
  const input = mostInputTokens(estimate, tokens, subject.contextWindow);
  const most = [false, true].map((peak) =>
    roundedUp(creditRate(subject.tariff, undefined, peak).mostOf({ input, output: outputLimitOf(call.body) })),
  );
  return most.reduce((one, other) => (one > other ? one : other), 0n);
}

function outputLimitOf(body: object): number {
  const { max_tokens: tokens, max_output_tokens: output } = body as Record<string, number | undefined>;
  return tokens ?? output ?? 0;
}

/** The most of each call that a trial may make. */
export function boundsOf(subject: Subject, trial: Trial): bigint[] {
  if (trial.free) return [];
  const bodies = trial.questions.map((question) => bodyOf(trial.client, subject.modelId, question));
  const first = bodies.map((body) => boundOf(subject, { dialect: trial.client, body }));
  const [body = {}] = bodies;
  const turn = (number: number): bigint =>
    boundOf(subject, { dialect: trial.client, body, addedBytes: TURN_BYTES * (number + 1) });
  return [...first, ...Array.from({ length: trial.turns }, (_, number) => turn(number))];
}
