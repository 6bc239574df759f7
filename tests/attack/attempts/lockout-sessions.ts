import { setTimeout as sleep } from "node:timers/promises";
import { frame, openRawSocket, OPCODES, type RawSocket } from "../../support/raw-socket.ts";
import { openSocket, type SocketClient } from "../../support/socket-client.ts";
import type { StageKey } from "../account.ts";
import type { LockoutAttempt, LockoutStage } from "../attempt.ts";
import { signInBrowser } from "../browser.ts";
import { ask, openStream, send } from "../client.ts";
import { bodyOf, PATHS } from "../formats.ts";
import { crowd, ended, serveNewcomer } from "./crowds.ts";
import { atOnce } from "./moves.ts";

const lockout = { kind: "lockout" } as const;
const SESSIONS = 10;
const MIB = 1024 * 1024;

/** Sessions of one person. */
async function sessionsOf({ stage }: LockoutStage, count = SESSIONS): Promise<StageKey[]> {
  const { begin } = await stage.makePerson("1000");
  return Promise.all(Array.from({ length: count }, begin));
}

const each = <Value>(list: readonly Value[], index: number): Value => list[index % list.length] as Value;

/** One person who signs in as often as they like, to hold more than is theirs. */
export const CROWDS_OF_ONE: readonly LockoutAttempt[] = [
  {
    ...lockout,
    name: "slots of many sessions",
    tries: "Keeps as many slow streams open with ten sessions as a small gateway has room for.",
    model: { habit: { tokens: 3_000, rate: 5 } },
    run: async (attack) => {
      const { stage, model, signal } = attack;
      const { url } = await stage.small();
      const sessions = await sessionsOf(attack);
      const body = bodyOf("chat", { model, stream: true, limit: 3_000 });
      const streams = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          openStream({ url: `${url}${PATHS.chat}`, secret: each(sessions, index).secret, body }).catch(() => null),
        ),
      );
      const begun = streams.filter((stream) => stream?.status === 200).length;
      const { secret } = await stage.makeKey("credit", "1");
      const theirs = await openStream({ url: `${url}${PATHS.chat}`, secret, body });
      theirs.leave();
      if (theirs.status !== 200) throw new Error(`a new tenant got ${theirs.status} beside ${begun} streams`);
      await ended(signal);
      for (const stream of streams) stream?.leave();
      return `${begun} of ${streams.length} streams begun`;
    },
  },
  {
    ...lockout,
    name: "bytes of many sessions",
    tries:
      "Sends bodies of 1 MiB with ten sessions and withholds their ends, until a small gateway has no room for bodies.",
    run: async (attack) => {
      const { stage, signal } = attack;
      const { url } = await stage.small();
      const sessions = await sessionsOf(attack);
      const length = MIB - 1;
      const requests = Array.from({ length: 30 }, (_, index) => {
        const { secret } = each(sessions, index);
        const headers = { "content-length": String(length) };
        return send({ url: `${url}${PATHS.chat}`, secret, body: " ".repeat(length - 1), headers });
      });
      let refused = 0;
      for (const request of requests) request.once("response", () => void (refused += 1));
      // Until all that the gateway is going to take has arrived.
      await sleep(1_000);
      await serveNewcomer(attack, "chat", url);
      await ended(signal);
      for (const request of requests) request.destroy();
      return `${requests.length} bodies, ${refused} refused`;
    },
  },
  {
    ...lockout,
    name: "WebSockets of many sessions",
    tries: "Opens WebSockets with ten sessions until a small gateway has none left.",
    run: async (attack) => {
      const { stage, model, signal } = attack;
      const { url } = await stage.small();
      const sessions = await sessionsOf(attack);
      const lines: SocketClient[] = [];
      for (let index = 0; index < 40; index += 1) {
        const line = await openSocket({ url, key: each(sessions, index).secret }).catch(() => null);
        if (line !== null) lines.push(line);
      }
      const { secret } = await stage.makeKey("credit", "1");
      const theirs = await openSocket({ url, key: secret });
      theirs.send({ type: "response.create", ...bodyOf("responses", { model, limit: 5 }) });
      const last = (await theirs.response()).at(-1)?.type;
      theirs.ws.terminate();
      if (last !== "response.completed") throw new Error(`a new tenant got ${last}`);
      await ended(signal);
      for (const { ws } of lines) ws.terminate();
      return `${lines.length} of 40 WebSockets`;
    },
  },
  {
    ...lockout,
    name: "conversations of many sessions",
    tries:
      "Warms up WebSockets of ten sessions with large prompts, so that the conversation of another tenant is forgotten.",
    run: async (attack) => {
      const { stage, model } = attack;
      const { url } = await stage.small();
      const { secret } = await stage.makeKey("credit", "1");
      const theirs = await openSocket({ url, key: secret });
      const turn = async (more: object): Promise<string> => {
        theirs.send({ type: "response.create", ...bodyOf("responses", { model, limit: 5 }), ...more });
        const last = (await theirs.response()).at(-1);
        if (last?.type !== "response.completed")
          throw new Error(`another tenant's conversation got ${JSON.stringify(last)}`);
        return (last["response"] as { id: string }).id;
      };
      const id = await turn({ generate: false });
      const sessions = await sessionsOf(attack);
      const prompt = "word ".repeat(180_000);
      const lines = await Promise.all(
        sessions.slice(0, 6).map(({ secret: own }) => openSocket({ url, key: own }).catch(() => null)),
      );
      for (const line of lines) {
        line?.send({ type: "response.create", ...bodyOf("responses", { model, limit: 5, prompt }), generate: false });
        await line?.response().catch(() => undefined);
      }
      await turn({ previous_response_id: id });
      for (const line of [...lines, theirs]) line?.ws.terminate();
      return `${lines.length} warm-ups of ${(prompt.length / MIB).toFixed(1)} MiB`;
    },
  },
  {
    ...lockout,
    name: "closing a route with many sessions",
    tries:
      "Provokes provider failures after content with ten sessions and ten keys of one person, each a voice of its own.",
    model: {
      habit: { tokens: 50, rate: 0, fail: { after: 20, how: "overloaded", when: "please fail" } },
      dialects: ["chat"],
    },
    run: async (attack) => {
      const { stage, model } = attack;
      const { begin, ownKey } = await stage.makePerson("1000");
      const keys = await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? begin() : ownKey())));
      const body = bodyOf("chat", { model, stream: true, limit: 60, prompt: "please fail" });
      await atOnce(20, (index) =>
        ask({ url: `${stage.gateway.url}${PATHS.chat}`, secret: each(keys, index).secret, body }),
      );
      for (const { secret } of keys) await ask({ url: `${stage.gateway.url}${PATHS.chat}`, secret, body });
      await serveNewcomer(attack);
      return "40 failures provoked";
    },
  },
  {
    ...lockout,
    name: "playground: bodies of 32 MiB",
    tries: "Sends bodies of almost 32 MiB through the playground, with the cookie of a key that has no money.",
    run: async (attack) => {
      const { stage, scale } = attack;
      const { secret } = await stage.makeKey("credit", "0");
      const { headers } = await signInBrowser(stage.gateway.url, secret);
      const body = Buffer.from(
        JSON.stringify({
          model: attack.model,
          messages: [{ role: "user", content: "word ".repeat((6.3 * MIB * scale) | 0) }],
        }),
      );
      return crowd(attack, 2, () => ask({ url: `${stage.gateway.url}/me${PATHS.chat}`, secret: "", body, headers }));
    },
  },
  {
    ...lockout,
    name: "playground: a flood of sign-ins",
    tries: "Signs in with its own key and with keys that were never issued as fast as ten browsers can.",
    run: async (attack) => {
      const { stage } = attack;
      const { secret } = await stage.makeKey("credit", "1");
      const url = `${stage.gateway.url}/me/session`;
      const did = await crowd(attack, 10, (number) => {
        const key = number % 2 === 0 ? secret : secret.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
        return ask({ url, secret: "", body: { key } });
      });
      await serveNewcomer(attack);
      return did;
    },
  },
];

const text = (payload: string | Buffer, final = true): Buffer => frame({ opcode: OPCODES.text, final, payload });
const PING = frame({ opcode: OPCODES.ping, payload: "!" });

/** WebSockets that each do one thing, again and again, until the attack ends. */
async function sockets(
  { stage, signal }: LockoutStage,
  options: { count: number; credit: string; each: (line: RawSocket) => Promise<void> | void },
): Promise<string> {
  const { count, credit, each: one } = options;
  const { secret } = await stage.makeKey("credit", credit);
  let opened = 0;
  let refused = 0;
  await Promise.all(
    Array.from({ length: count }, async () => {
      while (!signal.aborted) {
        const line = await openRawSocket(stage.gateway.url, secret).catch(() => null);
        if (line === null) refused += 1;
        else {
          opened += 1;
          line.socket.on("error", () => undefined);
          await one(line);
          await Promise.race([line.closeCode(), ended(signal)]);
          line.socket.destroy();
        }
        // A client that is cut off at once still has to shake hands again.
        await sleep(20);
      }
    }),
  );
  return `${opened} WebSockets${refused > 0 ? `, ${refused} refused` : ""}`;
}

/** What a WebSocket can be sent that costs nothing to send. */
export const SOCKET_CROWDS: readonly LockoutAttempt[] = [
  {
    ...lockout,
    name: "a flood of messages",
    tries:
      "Sends messages that are no JSON on twenty WebSockets, as fast as it can, and opens another when one is closed.",
    run: (attack) =>
      sockets(attack, { count: 20, credit: "0", each: (line) => line.write(...Array<Buffer>(50).fill(text("{"))) }),
  },
  {
    ...lockout,
    name: "huge frames without money",
    tries: "Sends frames of almost 32 MiB on four WebSockets with a key that has no money.",
    run: (attack) => {
      const bytes = text(Buffer.alloc((31 * MIB * attack.scale) | 0, 0x20));
      return sockets(attack, { count: 4, credit: "0", each: (line) => line.write(bytes) });
    },
  },
  {
    ...lockout,
    name: "fragments that never end",
    tries: "Sends messages in fragments of a few bytes on 100 WebSockets and never the last one.",
    run: (attack) => {
      const more = frame({ opcode: OPCODES.continuation, final: false, payload: "x" });
      return sockets(attack, {
        count: Math.ceil(100 * attack.scale),
        credit: "1",
        each: (line) => line.write(text("{", false), ...Array<Buffer>(200).fill(more)),
      });
    },
  },
  {
    ...lockout,
    name: "a flood of pings",
    tries: "Sends 1,000 pings at once on fifty WebSockets, and opens another when one is closed.",
    run: (attack) =>
      sockets(attack, {
        count: Math.ceil(50 * attack.scale),
        credit: "1",
        each: (line) => line.write(...Array<Buffer>(1_000).fill(PING)),
      }),
  },
  {
    ...lockout,
    name: "idle WebSockets",
    tries: "Opens 600 WebSockets, more than one key may have, and sends nothing.",
    run: (attack) => sockets(attack, { count: 600 * attack.scale, credit: "1", each: () => undefined }),
  },
  {
    ...lockout,
    name: "a flood of warm-ups",
    tries: "Warms up eight WebSockets with prompts of 1 MiB again and again, which costs nothing.",
    run: (attack) => {
      const { model, signal, stage } = attack;
      const prompt = "word ".repeat((200_000 * attack.scale) | 0);
      const warmUp = { type: "response.create", ...bodyOf("responses", { model, limit: 5, prompt }), generate: false };
      const message = JSON.stringify(warmUp);
      let sent = 0;
      return (async () => {
        const { secret } = await stage.makeKey("credit", "10");
        await atOnce(8, async () => {
          const line = await openSocket({ url: stage.gateway.url, key: secret });
          while (!signal.aborted) {
            line.send(message);
            sent += 1;
            await line.response().catch(() => undefined);
            // A client that is answered at once still has to write its next message.
            await sleep(5);
          }
          line.ws.terminate();
        });
        return `${sent} warm-ups`;
      })();
    },
  },
];
