import { setTimeout as sleep } from "node:timers/promises";
import type { StageKey } from "../account.ts";
import { CROSSED, type LaneStage, type PriceAttempt, STRAIGHT } from "../attempt.ts";
import { signInBrowser } from "../browser.ts";
import { ask, wordsIn } from "../client.ts";
import { PATHS } from "../formats.ts";
import { atOnce, leaveEarly, LEFT_EARLY, LONG_PROMPT, sending, SILENT, untilRefused } from "./moves.ts";

const playground = { kind: "price", by: "person", lanes: [...STRAIGHT, ...CROSSED] } as const;
const CREDIT = "0.2";

/** The same lane in the console's playground, in a browser of its own. */
async function browse(lane: LaneStage, { secret }: Pick<StageKey, "secret"> = lane): Promise<LaneStage> {
  const { url } = lane.stage.gateway;
  const browser = await signInBrowser(url, secret);
  return sending(lane, (sent) => ({
    ...sent,
    url: `${url}/me${PATHS[lane.caller]}`,
    secret: "",
    headers: { ...browser.headers, ...sent.headers },
  }));
}

/** The console's playground, as a person who signed in. */
export const PLAYGROUND: readonly PriceAttempt[] = [
  {
    ...playground,
    name: "playground: stop mid-stream",
    tries: "Stops a stream of the playground after 100 words.",
    model: { habit: { holdAfter: 102 } },
    run: async (lane) => {
      const { open, body } = await browse(lane);
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT }));
      await stream.readUntil((text) => wordsIn(text) >= 100);
      stream.leave();
      await stream.closed;
    },
  },
  {
    ...playground,
    name: "playground: parallel requests on a balance for ten",
    long: true,
    tries: "Sends 60 requests in parallel from three browsers and a client of one person, with a balance for ten.",
    model: { habit: { tokens: 200, rate: 0 } },
    credit: "0.01",
    run: async (lane) => {
      const lanes = [lane, await browse(lane), await browse(lane), await browse(lane, await lane.secondKey())];
      await atOnce(60, async (index) => lanes[index % 4]?.ask(lane.body({ limit: 200 })));
    },
  },
  {
    ...playground,
    lanes: STRAIGHT,
    name: "playground: a new browser for every abandoned request",
    long: true,
    tries: "Signs in with another browser for each prompt, sends it and disconnects before the provider responds.",
    model: { habit: SILENT },
    credit: CREDIT,
    cap: LEFT_EARLY,
    run: untilRefused(async (lane) => {
      const browser = await browse(lane, await lane.secondKey()).catch(() => null);
      if (browser !== null) await leaveEarly(browser);
    }),
  },
  {
    ...playground,
    name: "playground: sign out mid-stream",
    long: true,
    tries: "Signs the browser out while its stream runs, and reads on.",
    model: { habit: { tokens: 400, rate: 400 } },
    run: async (lane) => {
      const { open, body, sent } = await browse(lane);
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT, limit: 400 }));
      await stream.readUntil((text) => wordsIn(text) >= 50);
      const { headers } = sent("");
      const url = `${lane.stage.gateway.url}/me/session`;
      await ask({ url, method: "DELETE", secret: "", body: "", ...(headers && { headers }) });
      await Promise.race([stream.readAll(), sleep(5_000)]);
      stream.leave();
    },
  },
  {
    ...playground,
    name: "playground: another person's key",
    tries: "Names another person's key, token, session and account in headers, query and body, so that they pay.",
    model: { habit: { rate: 0 } },
    run: async (lane) => {
      const victim = await lane.stage.makePerson(CREDIT);
      const theirs = await victim.begin();
      const own = await browse(lane);
      const body = lane.body({ prompt: LONG_PROMPT });
      await own.ask(body);
      for (const [name, value] of [
        ["authorization", `Bearer ${theirs.secret}`],
        ["x-api-key", theirs.secret],
        ["x-tollgate-key", theirs.id],
      ] as const)
        await own.ask(body, { [name]: value });
      for (const name of ["key", "account", "account_id", "person_id", "session_id"])
        await own.ask({ ...body, [name]: theirs.id });
      const query = sending(own, (sent) => ({ ...sent, url: `${sent.url}?key=${theirs.secret}&account=${theirs.id}` }));
      await query.ask(body);
      const { charges } = await victim.account();
      if (charges > 0) throw new Error(`another person was charged ${charges} times`);
    },
  },
];
