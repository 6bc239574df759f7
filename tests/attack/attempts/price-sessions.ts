import { setTimeout as sleep } from "node:timers/promises";
import { CROSSED, type LaneStage, type PriceAttempt, STRAIGHT } from "../attempt.ts";
import { wordsIn } from "../client.ts";
import type { StageKey } from "../account.ts";
import type { Person } from "../person.ts";
import {
  atOnce,
  FAILED_AFTER_CONTENT,
  HIDDEN_REASONING,
  leaveEarly,
  LEFT_EARLY,
  LONG_PROMPT,
  reasoning,
  sendAllAndReach,
  sending,
  SILENT,
  untilRefused,
  withKey,
} from "./moves.ts";

const MANY = 12;
const person = { kind: "price", by: "person", lanes: STRAIGHT } as const;
const slow = { model: { habit: SILENT }, credit: "0.2", cap: LEFT_EARLY } as const;

const whose = ({ person: somebody }: LaneStage): Person => {
  if (somebody === null) throw new Error("nobody signed in");
  return somebody;
};

/** Sessions and keys of their own account, one after the other. */
const several = async (lane: LaneStage, count: number): Promise<StageKey[]> => {
  const { begin, ownKey } = whose(lane);
  return Promise.all(Array.from({ length: count }, (_, index) => (index % 3 === 2 ? ownKey() : begin())));
};

/** The same lane at the other gateway. */
const elsewhere = (lane: LaneStage): LaneStage =>
  sending(lane, (sent) => ({ ...sent, url: sent.url.replace(lane.stage.gateway.url, lane.stage.hasty.url) }));

/** Sends a prompt on each, waits until the provider has all that it is going to get, and leaves them all at one moment. */
async function leaveTogether(lanes: readonly LaneStage[]): Promise<void> {
  const [{ body }] = lanes as [LaneStage];
  for (const request of await sendAllAndReach(lanes, body({ stream: true, prompt: LONG_PROMPT }))) request.destroy();
}

/** One person with as many ways in as they like. */
export const SESSIONS: readonly PriceAttempt[] = [
  {
    ...person,
    ...slow,
    name: "a new session for every abandoned request",
    tries: "Signs in again for each prompt, sends it and disconnects before the provider responds.",
    run: untilRefused(async (lane) => leaveEarly(withKey(lane, await lane.secondKey()))),
  },
  {
    ...person,
    ...slow,
    credit: "5",
    name: "abandoned requests of many sessions at once",
    tries:
      "Sends prompts with eight sessions and four keys of one person in parallel and disconnects from all of them.",
    run: async (lane) => {
      const keys = await several(lane, MANY);
      await leaveTogether(keys.map((key) => withKey(lane, key)));
    },
  },
  {
    ...person,
    ...slow,
    name: "sessions on two gateways",
    long: true,
    tries: "Abandons requests with two sessions, each at a gateway of its own, so that each counts apart.",
    run: async (lane) => {
      const lanes = [lane, elsewhere(withKey(lane, await lane.secondKey()))];
      let turn = 0;
      await untilRefused(() => leaveEarly(lanes[(turn += 1) % 2] as LaneStage))(lane);
    },
  },
  {
    ...person,
    ...slow,
    name: "sign in again after a suspension",
    long: true,
    tries:
      "Reaches the cap, signs out everywhere, signs in again and goes on, with sessions and with keys of the account.",
    run: async (lane) => {
      const first = await lane.secondKey();
      await untilRefused((one) => leaveEarly(withKey(one, first)))(lane);
      await whose(lane).signOut(first);
      for (const key of await several(lane, 4)) await leaveEarly(withKey(lane, key));
    },
  },
  {
    ...person,
    lanes: [...STRAIGHT, ...CROSSED],
    name: "provider failures with a new session each",
    long: true,
    tries: "Reads 500 words and makes the provider fail, each time with a new session.",
    model: { habit: { tokens: 5_000, rate: 0, fail: { after: 500, how: "overloaded" } } },
    credit: "0.2",
    cap: FAILED_AFTER_CONTENT,
    run: untilRefused(async (lane) => {
      const { open, body } = withKey(lane, await lane.secondKey());
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT, limit: 5_000 })).catch(() => null);
      await stream?.readAll();
    }),
  },
  {
    ...person,
    lanes: [...STRAIGHT, ...CROSSED],
    name: "twenty sessions on a balance for ten requests",
    tries: "Sends 60 requests in parallel with twenty sessions of one person at two gateways.",
    model: { habit: { tokens: 200, rate: 0 } },
    credit: "0.01",
    run: async (lane) => {
      const keys = await several(lane, 20);
      await atOnce(60, async (index) => {
        const one = withKey(lane, keys[index % 20] as StageKey);
        await (index % 2 === 0 ? one : elsewhere(one)).ask(lane.body({ limit: 200 }));
      });
    },
  },
  {
    ...person,
    lanes: [...STRAIGHT, ...CROSSED],
    name: "sign out mid-stream",
    long: true,
    tries: "Ends the session while a stream runs, from another session of the same person.",
    model: { habit: { tokens: 5_000, rate: 200, holdAfter: 102 } },
    run: async (lane) => {
      const stream = await lane.open(lane.body({ stream: true, prompt: LONG_PROMPT, limit: 5_000 }));
      await stream.readUntil((text) => wordsIn(text) >= 100);
      await whose(lane).signOut({ id: lane.keyId, secret: lane.secret });
      await Promise.race([stream.readAll(), sleep(5_000)]);
      stream.leave();
    },
  },
  {
    ...person,
    ...HIDDEN_REASONING,
    name: "a slow pace taught by many sessions",
    tries:
      "Reads nothing of twenty short streams of many sessions, to make the route look slow, and then disconnects from hidden reasoning.",
    // By the clock: see price-disconnects.
    long: true,
    credit: "1",
    run: async (lane) => {
      const { caller, body } = lane;
      const keys = await several(lane, 20);
      await atOnce(20, async (index) => {
        const stream = await withKey(lane, keys[index] as StageKey).open(body({ stream: true, limit: 20 }));
        stream.stall();
        await sleep(3_000);
        stream.leave();
      });
      const stream = await lane.open(body({ stream: true, limit: 8_000, extra: reasoning(caller) }));
      await stream.readUntil((text) => wordsIn(text) >= 50);
      stream.leave();
    },
  },
];

/** Requests of one key that end at one moment, so that each might be told the cap is not reached yet. */
export const AT_ONCE: readonly PriceAttempt[] = [
  {
    ...slow,
    credit: "5",
    kind: "price",
    lanes: STRAIGHT,
    name: "abandoned requests at once",
    tries:
      "Sends twelve prompts in parallel with one key and disconnects from all of them before the provider responds.",
    run: async (lane) => leaveTogether(Array.from({ length: MANY }, () => lane)),
  },
  {
    kind: "price",
    lanes: STRAIGHT,
    name: "provider failures at once",
    long: true,
    tries: "Makes the provider fail in 24 streams at once, after 500 words of each.",
    model: { habit: { tokens: 5_000, rate: 0, fail: { after: 500, how: "overloaded" } } },
    credit: "5",
    cap: FAILED_AFTER_CONTENT,
    run: async ({ ask, body }) =>
      atOnce(2 * MANY, () => ask(body({ stream: true, prompt: LONG_PROMPT, limit: 5_000 }))),
  },
];
