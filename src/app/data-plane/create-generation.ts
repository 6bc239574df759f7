import type { Catalogue } from "../../catalogue/catalogue.ts";
import { createAskForThoughts } from "../../gateway/generate/check/ask-for-thoughts.ts";
import { readCredits } from "../../core/money/read-credits.ts";
import { type AskLedger, ledgerAway } from "../../gateway/ask-ledger.ts";
import type { ChainFor } from "../../gateway/chain-for.ts";
import type { CountRequest } from "../../gateway/count-request.ts";
import { createAdmitEmbedding } from "../../gateway/embed/admit-embedding.ts";
import { createDeliverEmbeddings } from "../../gateway/embed/deliver-embeddings.ts";
import { createEmbed } from "../../gateway/embed/embed.ts";
import { createAdmit } from "../../gateway/generate/admit.ts";
import { createDeliverPlain } from "../../gateway/generate/deliver/deliver-plain.ts";
import { createDeliverStream } from "../../gateway/generate/deliver/deliver-stream.ts";
import { createGenerate } from "../../gateway/generate/generate.ts";
import type { HoldParts } from "../../gateway/generate/hold.ts";
import { createLostWork } from "../../gateway/generate/lost-work.ts";
import type { Running } from "../../gateway/generate/running.ts";
import type { Batcher } from "../../ledger/turn/batcher.ts";
import type { Duties } from "../../ledger/duties/duties.ts";
import type { createPaperwork } from "../../offload/create-paperwork.ts";
import { createRelay } from "../../relay/relay.ts";
import type { Dispatch } from "../../upstream/dispatch.ts";
import type { RouteHealth } from "../../upstream/route/route-health.ts";
import type { ProcessParts } from "./process-parts.ts";

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Beside what an event repeats of the request. No model gives a whole answer as large; reading 12 MiB takes 44 ms. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024;

type Beside = {
  catalogue: Catalogue;
  askLedger: AskLedger;
  chainFor: ChainFor;
  countRequest: CountRequest;
  batcher: Batcher;
  duties: Duties;
  paperwork: ReturnType<typeof createPaperwork>;
  running: Running;
  dispatch: Dispatch;
  health: RouteHealth;
};

/** The use cases that a provider is asked for, with the parts that only they have. */
export function createGeneration(parts: ProcessParts, beside: Beside) {
  const { config, clock, random } = parts;
  const { catalogue, countRequest, askLedger, chainFor, paperwork, running, dispatch, health } = beside;
  const { streamDeadlineMs: deadlineMs, keepAliveMs } = config.limits;
  const relay = createRelay({ clock, limits: { deadlineMs, keepAliveMs, maxEventBytes: MAX_EVENT_BYTES } });
  const hold = holdParts(parts, beside);
  const admission = { askLedger, chainFor, paperwork, clock, random, deadlineMs, hold };
  const calls = {
    paperwork,
    catalogue,
    countRequest,
    running,
    dispatch,
    paceOf: health.pace,
    lostWork: createLostWork({ clock, cap: hold.writeOffCap, openings: health.openings }),
    clock,
    deadlineMs,
    storedAnswerBytes: config.idempotency.bodyBytes,
  };
  return {
    generate: createGenerate({
      ...calls,
      askForThoughts: createAskForThoughts(),
      admit: createAdmit(admission),
      deliverStream: createDeliverStream({ relay }),
      deliverPlain: createDeliverPlain({ paperwork, limits: { deadlineMs, maxAnswerBytes: MAX_ANSWER_BYTES } }),
    }),
    embed: createEmbed({
      ...calls,
      admit: createAdmitEmbedding(admission),
      deliver: createDeliverEmbeddings({ paperwork, deadlineMs }),
    }),
  };
}

/** How the money of a request is held and settled. */
function holdParts({ config, events, clock, random }: ProcessParts, beside: Beside): HoldParts {
  const { batcher, catalogue, duties, paperwork } = beside;
  const { ledger } = config;
  return {
    clock,
    batcher,
    checkpoints: duties.checkpoints,
    countTokens: paperwork.countTokens,
    checkpointWorth: {
      credit: readCredits(ledger.checkpointWorth, "ledger.checkpoint_worth"),
      tokens: BigInt(ledger.checkpointTokens),
    },
    writeOffCap: {
      credit: readCredits(ledger.writeOffCap, "ledger.write_off_cap"),
      tokens: BigInt(ledger.writeOffCapTokens),
    },
    accountCaps: BigInt(ledger.accountWriteOffFactor),
    creditNanoUsd: readCredits(config.creditUsd, "credit_usd"),
    unconfirmed: (cause) => ledgerAway(random, cause),
    onAlarm: (alarm) => events.moneyAlarm(alarm, catalogue.acceptedAlarm(alarm)),
  };
}
