import type { StageKey } from "../account.ts";
import type { ClientRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cap, LaneStage, PriceAttempt } from "../attempt.ts";
import { until } from "../../support/until.ts";
import { ask, openStream, send, type Sent } from "../client.ts";
import type { Format, Json } from "../formats.ts";

/**
 * Ten thousand tokens. What a provider has produced and not yet sent when it is told to stop is nobody's to charge; beside such
 * a prompt it is less than a hundredth of the price.
 */
export const LONG_PROMPT = "word ".repeat(10_000).trim();

const UNREASONED: Record<Format, Json> = {
  chat: { reasoning_effort: "none" },
  responses: { reasoning: { effort: "none" } },
  messages: { thinking: { type: "disabled" } },
};

const REASONED: Record<Format, Json> = {
  chat: { reasoning_effort: "medium" },
  responses: { reasoning: { effort: "medium" } },
  messages: { thinking: { type: "enabled", budget_tokens: 4_000 } },
};

/** Asks for it in so many words: a provider of messages is not asked to reason otherwise, whichever format its caller speaks. */
export const reasoning = (caller: Format): Json => REASONED[caller];

/** Streams of others, from which a route's pace is known. */
export const ordinaryTraffic =
  (asked: (caller: Format) => Json = () => ({})): NonNullable<PriceAttempt["before"]> =>
  async ({ caller, open, body }) => {
    for (let times = 0; times < 5; times += 1) {
      const stream = await open(body({ stream: true, limit: 8_000, extra: asked(caller) }));
      await stream.readAll();
    }
  };

/** 1,500 tokens nobody sees, then 300 words, on a route that has been used before with and without reasoning. */
export const HIDDEN_REASONING: Pick<PriceAttempt, "model" | "credit" | "cap" | "before"> = {
  model: { habit: { hidden: 1_500, tokens: 300, rate: 300 }, capabilities: { reasoning: true } },
  credit: "0.2",
  cap: {
    setting: "ledger.write_off_cap",
    because: "unseen reasoning is estimated, and what is in doubt is not charged but written off",
  },
  before: ordinaryTraffic((caller) => UNREASONED[caller]),
};

export const LEFT_EARLY: Cap = {
  setting: "ledger.write_off_cap",
  because: "the provider had not responded, and an error status costs nothing",
};

export const FAILED_AFTER_CONTENT: Cap = {
  setting: "ledger.write_off_cap",
  because: "a failed response costs nothing (7.3), because clients retry it",
};

/** Nothing is charged for it, and nothing suspended: the payer's requests leave the route alone. */
export const PAUSED: Cap = {
  setting: "ledger.write_off_cap",
  because: "an error status costs nothing (7.3); beyond the cap the provider is not asked again",
  pauses: true,
};

export const OVERRUN: Cap = {
  setting: "ledger.write_off_cap",
  because: "a balance is never negative, so any cost beyond it cannot be charged",
};

const MOST_REPEATS = 12;

/** Repeats a move until the key is suspended, or several times as much as the cap has been tried for. */
export const untilRefused =
  (move: (lane: LaneStage) => Promise<void>): PriceAttempt["run"] =>
  async (lane) => {
    for (let repeats = 0; repeats < MOST_REPEATS; repeats += 1) {
      await move(lane);
      await sleep(100);
      const { status } = await lane.account();
      if (status !== "active") return;
    }
  };

/** The same lane with requests that are sent otherwise. */
export function sending(lane: LaneStage, otherwise: (sent: Sent) => Sent): LaneStage {
  const sent: LaneStage["sent"] = (body, headers) => otherwise(lane.sent(body, headers));
  return {
    ...lane,
    sent,
    ask: (body, headers) => ask(sent(body, headers)),
    open: (body, headers) => openStream(sent(body, headers)),
  };
}

/** The same lane with another key. */
export const withKey = (lane: LaneStage, { id, secret }: StageKey): LaneStage => ({
  ...sending(lane, (sent) => ({ ...sent, secret })),
  keyId: id,
  secret,
});

/** Leaves while the provider still reads the prompt. */
export async function leaveEarly(lane: LaneStage): Promise<void> {
  const request = await sendAndReach(lane, lane.body({ stream: true, prompt: LONG_PROMPT }));
  request.destroy();
}

/** So many at once, and all answers read. */
export async function atOnce(count: number, one: (index: number) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => one(index)));
}

/** A provider that has said nothing yet when everybody has left, however busy the machine is. */
export const SILENT = { startMs: 120_000 } as const;

/** Sends a request and waits until the provider has it, or is not going to. */
export async function sendAndReach(lane: LaneStage, body: Json): Promise<ClientRequest> {
  const [request] = await sendAllAndReach([lane], body);
  return request as ClientRequest;
}

/** Sends a request on each, and waits until the provider has them all but those that ended without it. */
export async function sendAllAndReach(lanes: readonly LaneStage[], body: Json): Promise<ClientRequest[]> {
  const [{ stage, model }] = lanes as [LaneStage];
  const calls = async (): Promise<number> => (await stage.calls(model)).length;
  const before = await calls();
  const over = new Set<ClientRequest>();
  const requests = lanes.map(({ sent }) => {
    const request = send(sent(body));
    for (const end of ["close", "response"]) request.once(end, () => void over.add(request));
    return request;
  });
  await until(async () => (await calls()) - before + over.size >= lanes.length, "the provider has all of them", 60_000);
  return requests;
}
