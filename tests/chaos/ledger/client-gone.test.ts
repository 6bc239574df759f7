import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyUnavailable } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";
import type { Leave, StageKey } from "./ask.ts";
import type { ChargeRow, Evidence } from "./evidence.ts";
import { createRandom, type Random } from "./random.ts";
import { runSeed } from "../../support/run-seed.ts";
import { expectSound, LONG } from "./report.ts";
import { modelFor, routeFor } from "./stage-catalogue.ts";
import { type Gateway, type Stage, startStage } from "./stage.ts";
import { join, type Story } from "./stories.ts";
import { priceOf } from "./tariff.ts";

const CALLERS = LONG ? 300 : 40;
const AT_ONCE = 40;
/** By so much the provider may be told later than it gets what the same client sends once it has left. */
const ABORT_MS = 1_000;
/** A bound for what hangs. */
const START_TIMEOUT_MS = 600_000;
const SEED = runSeed();
/** The tokenizer's stated error, below and above. */
const [BELOW, ABOVE] = [0.75, 1.25];

/** Where a caller leaves, and which provider makes that place. */
type Place = { name: string; model: string; leave: (random: Random) => Leave };

const PLACES: readonly [Place, ...Place[]] = [
  { name: "before the first byte", model: "mute", leave: () => ({ afterMs: 300 }) },
  { name: "in the middle", model: "lasting", leave: (random) => ({ afterEvents: 1 + random.integer(40) }) },
  { name: "after the last content", model: "unsaid", leave: () => ({ afterEvents: 40 }) },
  { name: "at some moment", model: "lasting", leave: (random) => ({ afterMs: random.integer(2_500) }) },
];

describe.skipIf(whyUnavailable("15"))("callers that leave", () => {
  let stage: Stage;
  let gateway: Gateway;
  let key: StageKey;
  /** Of those who leave before the provider answers: they pay nothing. */
  let freeKey: StageKey;

  beforeAll(async () => {
    // A stream that waits with its end: none is over before its caller leaves, however late the machine lets it.
    stage = await startStage({ patient: true, models: { lasting: "sim+tokens=60+rate=20+pause=60" } });
    const plenty = { credit: 1_000_000_000_000n };
    [gateway, key, freeKey] = await Promise.all([stage.startGateway(), stage.makeKey(plenty), stage.makeKey(plenty)]);
  }, START_TIMEOUT_MS);
  afterAll(() => stage?.close());

  test(`${CALLERS} streams closed by their callers: the provider is told no later than it gets a request sent after that, and what was delivered is charged (TEST_SEED=${SEED}) [CAN-2] [CAN-3] [CAN-6] [CAN-7]`, async () => {
    const random = createRandom(SEED);
    const places = Array.from({ length: CALLERS }, (_, index) => PLACES[index % PLACES.length] ?? PLACES[0]);
    /** What a client that has left asks for next, by the marker of what it left. It takes the same way as the news. */
    const next = new Map<string, string>();
    const comeAndGo = async (place: Place, index: number): Promise<void> => {
      const payer = place.model === "mute" ? freeKey : key;
      const leave = place.leave(random);
      // As many formats as places would pair them for good.
      const route = routeFor(Math.floor(index / PLACES.length));
      const model = modelFor(route, place.model);
      const { marker } = await stage.ask({ gateway, key: payer, route, model, streamed: true, maxTokens: 100, leave });
      next.set(marker, (await stage.ask({ gateway, key, route, model: modelFor(route, "fast") })).marker);
    };
    for (let from = 0; from < places.length; from += AT_ONCE) {
      await Promise.all(places.slice(from, from + AT_ONCE).map(comeAndGo));
    }
    await until(async () => (await stage.witness.calls()).every(({ ended }) => ended !== null), "the provider stopped");
    await stage.untilNothingHeld();

    const evidence = await stage.evidence();
    const { stories, orphans } = join(evidence);
    const heard = stories.filter(({ client, charge }) => client.left && charge !== null);
    const receivedAtMs = new Map(evidence.calls.map((call) => [call.marker, call.receivedAtMs]));
    const delays = evidence.calls.flatMap(({ marker, callerGoneAtMs }) => {
      const after = receivedAtMs.get(next.get(marker) ?? "") ?? null;
      return callerGoneAtMs === null || after === null ? [] : [callerGoneAtMs - after];
    });
    const dear = heard.filter((story) => !asDelivered(story));
    console.log(
      `${CALLERS} callers left: provider told at most ${Math.max(...delays)} ms after it got their next request (${delays.length} measured); ` +
        `${heard.length} charged after content, ${orphans.length} before; seed ${SEED}`,
    );
    expect(delays.length).toBeGreaterThanOrEqual(CALLERS / 2);
    expect(Math.max(...delays)).toBeLessThanOrEqual(ABORT_MS);
    expect(dear.map(describeStory)).toEqual([]);
    expect(heard.filter(({ charge }) => charge?.kind !== "client_gone").map(describeStory)).toEqual([]);
    expect(
      recordsOf(
        evidence,
        heard.map(({ charge }) => charge as ChargeRow),
      ),
    ).toEqual([]);
    // Who left before the provider answered pays nothing; the input is the house's, if the provider had been asked at all.
    const early = evidence.ledger.charges.filter(({ keyId }) => keyId === freeKey.id);
    const borne = new Set(evidence.ledger.house.filter(({ kind }) => kind === "failed").map(({ holdId }) => holdId));
    const reached = stories.filter(({ client, calls }) => client.keyId === freeKey.id && calls.length > 0);
    expect(early.length).toBeLessThanOrEqual(places.filter(({ model }) => model === "mute").length);
    expect(early.filter(({ kind }) => kind === "client_gone").length).toBeGreaterThanOrEqual(reached.length);
    expect(early.filter(({ amount }) => amount !== 0n)).toEqual([]);
    expect(early.filter(({ kind, holdId }) => kind !== (borne.has(holdId) ? "client_gone" : "voided"))).toEqual([]);
  });

  test("a plain request that is left pays for its input; with an Idempotency-Key it runs on and is kept for the retry [CAN-13] [CAN-14]", async () => {
    const callsWith = async (marker: string) =>
      (await stage.witness.calls()).filter(({ body }) => JSON.stringify(body).includes(marker));
    const onceAsked = (marker: string) => ({
      when: until(async () => (await callsWith(marker)).length > 0, "the provider is asked"),
    });
    const [first, marker] = [stage.marker(), stage.marker()];
    const common = { gateway, key, model: "lasting" };
    const plain = await stage.ask({ ...common, marker: first, leave: onceAsked(first) });
    const wanted = { ...common, marker, claim: `claim ${marker}` };
    const left = await stage.ask({ ...wanted, leave: onceAsked(marker) });
    await (
      await stage.witness.whenPaused(marker)
    )();
    await stage.untilNothingHeld();
    const again = await stage.ask(wanted);

    expect([plain.left, left.left]).toEqual([true, true]);
    expect(again).toMatchObject({ status: 200, replayed: true });
    expect(await callsWith(first)).toMatchObject([{ ended: "caller_gone" }]);
    expect(await callsWith(marker)).toMatchObject([{ ended: "completed" }]);
  });

  test("after all of it the three witnesses agree", async () => {
    await expectSound(stage, "callers gone");
  });
});

/** What reached the caller at least, and what the provider sent at most, within the error of the estimate. */
function asDelivered({ client, calls, net }: Story): boolean {
  const least = priceOf("credit", { inputTokens: 0, outputTokens: Math.floor(client.events * BELOW) });
  const most = priceOf("credit", {
    inputTokens: Math.ceil(client.estimatedInputTokens * ABOVE),
    outputTokens: Math.ceil((calls[0]?.countedTokens ?? 0) * ABOVE),
  });
  return net >= least && net <= most && net > 0n;
}

function recordsOf({ ledger }: Evidence, charges: readonly ChargeRow[]): string[] {
  const ids = new Set(charges.map(({ holdId }) => holdId));
  return ledger.records.filter(({ id }) => ids.has(id)).map(({ id, outcome }) => `${id} has a record: ${outcome}`);
}

const describeStory = ({ client, charge, calls }: Story): string =>
  `${client.marker} ${client.model}: ${charge?.kind} ${charge?.amount}, saw ${client.events}, sent ${calls[0]?.sentTokens}`;
