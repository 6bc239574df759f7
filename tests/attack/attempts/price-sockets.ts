import { setTimeout as sleep } from "node:timers/promises";
import { frame, openRawSocket, OPCODES } from "../../support/raw-socket.ts";
import { openSocket, type SocketClient } from "../../support/socket-client.ts";
import { until } from "../../support/until.ts";
import { ALL_LANES, type LaneStage, type PriceAttempt } from "../attempt.ts";
import { wordsIn } from "../client.ts";
import type { Asked, Json } from "../formats.ts";
import { atOnce, LEFT_EARLY, LONG_PROMPT, SILENT, untilRefused } from "./moves.ts";

const LANES = ALL_LANES.filter(({ caller }) => caller === "responses");
const CREDIT_LANES = LANES.filter(({ unit }) => unit === "credit");
const socket = { kind: "price", lanes: LANES } as const;
const holding = { model: { habit: { tokens: 5_000, rate: 200, holdAfter: 102 } } };

const open = ({ url, secret }: Pick<LaneStage, "url" | "secret">): Promise<SocketClient> =>
  openSocket({ url, key: secret });
const create = ({ body }: LaneStage, asked: Omit<Asked, "model"> = {}): Json => ({
  type: "response.create",
  ...body(asked),
});
const long = { prompt: LONG_PROMPT, limit: 5_000 };

async function readWords({ next }: SocketClient, words: number): Promise<void> {
  for (let seen = 0; seen < words;) seen += wordsIn(JSON.stringify(await next()));
}

/** What was answered last; null: the socket was closed instead. */
const answered = (line: SocketClient): Promise<string | null> =>
  line.response().then(
    (events) => String((events.at(-1)?.["response"] as Json | undefined)?.["id"]),
    () => null,
  );

/** Responses over WebSocket: the same money as over HTTP, and other ways to leave. */
export const SOCKETS: readonly PriceAttempt[] = [
  {
    ...socket,
    ...holding,
    name: "drop a WebSocket mid-response",
    tries: "Drops the connection of a WebSocket after 100 words of a response.",
    run: async (lane) => {
      const line = await open(lane);
      line.send(create(lane, long));
      await readWords(line, 100);
      line.ws.terminate();
      await line.closed;
    },
  },
  {
    ...socket,
    ...holding,
    name: "close frame without a code",
    long: true,
    tries: "Sends a close frame without a code mid-response and keeps the connection open.",
    lanes: CREDIT_LANES,
    run: async (lane) => {
      const line = await openRawSocket(lane.url, lane.secret);
      line.write(frame({ opcode: OPCODES.text, payload: JSON.stringify(create(lane, long)) }));
      await until(() => wordsIn(line.received().toString("latin1")) >= 100, "the response is under way");
      line.write(frame({ opcode: OPCODES.close }));
      await line.closeCode();
      line.socket.destroy();
    },
  },
  {
    ...socket,
    ...holding,
    name: "queued responses, then drop",
    long: true,
    tries:
      "Sends four response.create at once and drops the WebSocket during the first, so that the others would run unpaid.",
    run: async (lane) => {
      const line = await open(lane);
      for (let times = 0; times < 4; times += 1) line.send(create(lane, long));
      await readWords(line, 100);
      line.ws.terminate();
      await line.closed;
    },
  },
  {
    ...socket,
    name: "cancel messages mid-response",
    long: true,
    tries: "Sends response.cancel and messages that are none while a response runs, and reads on.",
    model: { habit: { tokens: 300, rate: 300 } },
    run: async (lane) => {
      const line = await open(lane);
      line.send(create(lane, { ...long, limit: 300 }));
      await readWords(line, 20);
      for (const type of ["response.cancel", "session.update"]) line.send({ type });
      await answered(line);
      await answered(line);
      line.ws.terminate();
    },
  },
  {
    ...socket,
    name: "many responses on one WebSocket",
    long: true,
    tries: "Asks for response after response on one WebSocket until nothing is available.",
    model: { habit: { tokens: 500, rate: 0 } },
    credit: "0.05",
    run: async (lane) => {
      const line = await open(lane);
      for (let turn = 0; turn < 40 && line.ws.readyState === line.ws.OPEN; turn += 1) {
        line.send(create(lane, { limit: 500 }));
        if ((await answered(line)) === null) return;
      }
      line.ws.terminate();
    },
  },
  {
    ...socket,
    name: "parallel WebSockets on a balance for ten",
    tries: "Opens 40 WebSockets at two gateways and asks for a response on each, with a balance for ten.",
    model: { habit: { tokens: 200, rate: 0 } },
    credit: "0.01",
    run: async (lane) => {
      const { stage, url, secret } = lane;
      const urls = [url, url.replace(stage.gateway.url, stage.hasty.url)];
      await atOnce(40, async (index) => {
        const line = await open({ url: urls[index % 2] ?? url, secret });
        line.send(create(lane, { limit: 200 }));
        await answered(line);
        line.ws.terminate();
      });
    },
  },
  {
    ...socket,
    name: "warm up with a long prompt",
    tries: "Sends a long prompt with generate: false, which is free, and asks for three responses that go on from it.",
    model: { habit: { tokens: 50, rate: 0 } },
    run: async (lane) => {
      const line = await open(lane);
      line.send({ ...create(lane, long), generate: false });
      let previous = await answered(line);
      for (let turn = 0; turn < 3; turn += 1) {
        line.send({ ...create(lane, { prompt: "Go on.", limit: 50 }), previous_response_id: previous });
        previous = await answered(line);
      }
      line.ws.terminate();
    },
  },
  {
    ...socket,
    name: "another WebSocket's conversation",
    long: true,
    tries: "Goes on from the response of another WebSocket and of another key, whose long prompt it did not send.",
    model: { habit: { tokens: 50, rate: 0 } },
    run: async (lane) => {
      const [own, other] = [await open(lane), await open({ ...lane, ...(await lane.secondKey()) })];
      own.send(create(lane, { ...long, limit: 50 }));
      const id = await answered(own);
      const before = (await lane.stage.calls(lane.model)).length;
      for (const line of [other, await open(lane)]) {
        line.send({ ...create(lane, { prompt: "Go on.", limit: 50 }), previous_response_id: id });
        await answered(line);
        line.ws.terminate();
      }
      own.ws.terminate();
      const calls = (await lane.stage.calls(lane.model)).slice(before);
      if (calls.length > 0) throw new Error("a conversation was gone on with from another WebSocket");
    },
  },
  {
    ...socket,
    name: "WebSocket that is not read",
    long: true,
    tries: "Reads nothing from a WebSocket and waits to be cut off.",
    model: { habit: { tokens: 2_000, rate: 200, holdAfter: 300 } },
    hasty: true,
    lanes: CREDIT_LANES,
    run: async (lane) => {
      const line = await openRawSocket(lane.url.replace(lane.stage.gateway.url, lane.stage.hasty.url), lane.secret);
      line.write(frame({ opcode: OPCODES.text, payload: JSON.stringify(create(lane, { ...long, limit: 2_000 })) }));
      await until(() => wordsIn(line.received().toString("latin1")) >= 10, "the response is under way");
      line.socket.pause();
      await sleep(4_000);
      line.socket.destroy();
    },
  },
  {
    ...socket,
    ...holding,
    by: "person",
    lanes: CREDIT_LANES,
    name: "sign out during a response over WebSocket",
    long: true,
    tries: "Ends the session of a WebSocket while its response runs, with another message waiting.",
    run: async (lane) => {
      const line = await open(lane);
      line.send(create(lane, long));
      line.send(create(lane, long));
      await readWords(line, 100);
      await lane.person?.signOut({ id: lane.keyId, secret: lane.secret });
      await Promise.race([line.closed, sleep(5_000)]);
      line.ws.terminate();
    },
  },
  {
    ...socket,
    by: "person",
    lanes: CREDIT_LANES,
    name: "abandoned responses of many WebSockets",
    long: true,
    tries:
      "Signs in again for each WebSocket, sends a long prompt and drops the connection before the provider responds.",
    model: { habit: SILENT },
    credit: "0.2",
    cap: LEFT_EARLY,
    run: untilRefused(async (lane) => {
      const before = (await lane.stage.calls(lane.model)).length;
      const line = await open({ ...lane, ...(await lane.secondKey()) }).catch(() => null);
      line?.send(create(lane, long));
      const reached = async (): Promise<boolean> => (await lane.stage.calls(lane.model)).length > before;
      await Promise.race([line?.closed, until(reached, "the provider is asked", 2_000).catch(() => undefined)]);
      line?.ws.terminate();
    }),
  },
];
