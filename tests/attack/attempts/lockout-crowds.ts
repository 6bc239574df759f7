import { setTimeout as sleep } from "node:timers/promises";
import { createSecret } from "../../../src/keys/secret.ts";
import type { LockoutAttempt } from "../attempt.ts";
import { ask, openStream, send } from "../client.ts";
import { bodyOf, PATHS } from "../formats.ts";
import { crowd, ended, hangOn, repeated, serveNewcomer } from "./crowds.ts";
import { atOnce } from "./moves.ts";

const lockout = { kind: "lockout" } as const;
const EVENT_BOUND = 8 * 1024 * 1024;
const TRIGGER = "please fail";

const head = (secret: string, length: number): string =>
  [
    "POST /v1/chat/completions HTTP/1.1",
    "host: gateway",
    `authorization: Bearer ${secret}`,
    "content-type: application/json",
    `content-length: ${length}`,
    "",
    "",
  ].join("\r\n");

/** Many callers, and callers that take their time. */
export const CROWDS: readonly LockoutAttempt[] = [
  {
    ...lockout,
    name: "unknown keys",
    tries: "Sends 1,000 well-formed keys that were never issued, from one address.",
    run: async (attack) => {
      const url = `${attack.stage.gateway.url}/v1/models`;
      const did = await crowd(attack, 20, () =>
        ask({ url, method: "GET", secret: createSecret("credit").secret, body: "" }),
      );
      await serveNewcomer(attack);
      return did;
    },
  },
  {
    ...lockout,
    name: "bodies that never arrive",
    tries: "Opens 1,200 requests with a key that has no money and withholds their bodies.",
    run: async (attack) => {
      const { secret } = await attack.stage.makeKey("credit", "0");
      return hangOn(attack, 1_200 * attack.scale, () => `${head(secret, 1_000)}{`);
    },
  },
  {
    ...lockout,
    name: "large bodies that never end",
    tries: "Sends fourteen bodies of 32 MiB with a key that has no money and withholds their last byte.",
    run: async (attack) => {
      const { secret } = await attack.stage.makeKey("credit", "0");
      const opening = Buffer.concat([Buffer.from(head(secret, 33_554_432)), Buffer.alloc(31 * 1024 * 1024, 0x20)]);
      return hangOn(attack, Math.ceil(14 * attack.scale), () => opening);
    },
  },
  {
    ...lockout,
    name: "headers that never end",
    tries: "Opens 1,000 connections that send half a header each.",
    run: (attack) => hangOn(attack, 1_000 * attack.scale, () => "POST /v1/chat/completions HTTP/1.1\r\nhost: gate"),
  },
  {
    ...lockout,
    name: "idle connections",
    tries: "Opens 3,000 connections and sends nothing.",
    run: (attack) => hangOn(attack, 3_000 * attack.scale, () => ""),
  },
  {
    ...lockout,
    name: "unread streams",
    tries: "Opens 100 fast streams and reads nothing.",
    model: { habit: { tokens: 30_000, rate: 0 } },
    run: async ({ stage, model, signal, scale }) => {
      const { secret } = await stage.makeKey("credit", "1000");
      const url = `${stage.gateway.url}${PATHS.chat}`;
      const body = bodyOf("chat", { model, stream: true, limit: 30_000 });
      const streams = await Promise.all(
        Array.from({ length: Math.ceil(100 * scale) }, async () => {
          const stream = await openStream({ url, secret, body });
          stream.stall();
          return stream;
        }),
      );
      await ended(signal);
      for (const stream of streams) stream.leave();
      return `${streams.length} streams, ${streams.filter(({ status }) => status === 200).length} begun`;
    },
  },
  {
    ...lockout,
    name: "many slow streams",
    tries: "Keeps 300 slow streams open.",
    model: { habit: { tokens: 3_000, rate: 5 } },
    run: async ({ stage, model, signal, scale }) => {
      const { secret } = await stage.makeKey("credit", "1000");
      const url = `${stage.gateway.url}${PATHS.chat}`;
      const body = bodyOf("chat", { model, stream: true, limit: 3_000 });
      const streams = await Promise.all(
        Array.from({ length: Math.ceil(300 * scale) }, async (_, index) => {
          await sleep(index * 3);
          return openStream({ url, secret, body });
        }),
      );
      await ended(signal);
      for (const stream of streams) stream.leave();
      return `${streams.filter(({ status }) => status === 200).length} of ${streams.length} streams begun`;
    },
  },
  {
    ...lockout,
    name: "abandoned requests",
    tries: "Abandons 500 requests in parallel before the provider responds, so that each must be written off.",
    model: { habit: { startMs: 5_000 } },
    run: async ({ stage, model, signal, scale }) => {
      const { secret } = await stage.makeKey("credit", "1000");
      const url = `${stage.gateway.url}${PATHS.chat}`;
      const body = bodyOf("chat", { model, limit: 5 });
      let abandoned = 0;
      while (!signal.aborted) {
        const requests = Array.from({ length: Math.ceil(500 * scale) }, () => send({ url, secret, body }));
        await sleep(1_500);
        for (const request of requests) request.destroy();
        abandoned += requests.length;
        await sleep(500);
      }
      return `${abandoned} requests`;
    },
  },
  {
    ...lockout,
    name: "long prompts, then disconnect",
    tries: "Streams prompts of 4 MiB and disconnects at the first byte, so that their tokens must be counted.",
    model: { habit: { tokens: 300, rate: 50 }, contextWindow: 50_000_000 },
    run: async ({ stage, model, signal, scale }) => {
      const { secret } = await stage.makeKey("credit", "1000");
      const url = `${stage.gateway.url}${PATHS.chat}`;
      const prompt = "some words of a long prompt, ".repeat((140_000 * scale) | 0);
      const bytes = Buffer.from(JSON.stringify(bodyOf("chat", { model, stream: true, limit: 300, prompt })));
      let left = 0;
      while (!signal.aborted) {
        const stream = await openStream({ url, secret, body: bytes });
        await stream.readUntil((text) => text !== "");
        stream.leave();
        left += 1;
      }
      return `${left} streams disconnected`;
    },
  },
  {
    ...lockout,
    name: "500 parallel requests of one key",
    tries: "Sends bursts of 500 parallel requests with one key, most of which it cannot pay for.",
    run: async ({ stage, model, signal, scale }) => {
      const { secret } = await stage.makeKey("credit", "0.01");
      const url = `${stage.gateway.url}${PATHS.chat}`;
      let asked = 0;
      while (!signal.aborted) {
        const count = Math.ceil(500 * scale);
        await atOnce(count, () => ask({ url, secret, body: bodyOf("chat", { model, limit: 5 }) }));
        asked += count;
        await sleep(1_000);
      }
      return `${asked} requests`;
    },
  },
  {
    ...lockout,
    name: "closing a route by exceeding the size limit",
    tries: "Ends eight streams with an oversized last event, so that the provider's route would close for all clients.",
    model: { habit: { tokens: 50, rate: 0 }, contextWindow: 50_000_000, dialects: ["responses"] },
    run: async (attack) => {
      const { stage, model } = attack;
      const { secret } = await stage.makeKey("credit", "1000");
      const extra = { instructions: " ".repeat(EVENT_BOUND - 1_200) };
      const body = Buffer.from(JSON.stringify(bodyOf("responses", { model, stream: true, limit: 60, extra })));
      const url = `${stage.gateway.url}${PATHS.responses}`;
      for (let times = 0; times < 8; times += 1) await ask({ url, secret, body });
      await serveNewcomer(attack, "responses");
      return "8 oversized streams";
    },
  },
  {
    ...lockout,
    name: "closing a route by provoked failures",
    tries: "Provokes ten provider failures after content, so that its route would close for all clients.",
    model: {
      habit: { tokens: 50, rate: 0, fail: { after: 20, how: "content_filter", when: TRIGGER } },
      dialects: ["chat"],
    },
    run: async (attack) => {
      const { stage, model } = attack;
      const { secret } = await stage.makeKey("credit", "1000");
      const body = bodyOf("chat", { model, stream: true, limit: 60, prompt: TRIGGER });
      for (let times = 0; times < 10; times += 1) await ask({ url: `${stage.gateway.url}${PATHS.chat}`, secret, body });
      await serveNewcomer(attack);
      return "10 failures provoked";
    },
  },
  {
    ...lockout,
    name: "large responses to store",
    tries: "Makes the gateway store responses of 1 MiB under ever new Idempotency-Keys.",
    model: { habit: { tokens: 5, rate: 0 }, contextWindow: 50_000_000, dialects: ["responses"] },
    run: async (attack) => {
      const { stage, model } = attack;
      const { secret } = await stage.makeKey("credit", "1000");
      const extra = { instructions: " ".repeat(1_000_000) };
      const body = Buffer.from(JSON.stringify(bodyOf("responses", { model, limit: 60, extra })));
      return crowd(attack, 4, (number) =>
        ask({
          url: `${stage.gateway.url}${PATHS.responses}`,
          secret,
          body,
          headers: { "idempotency-key": `k${number}` },
        }),
      );
    },
  },
  {
    ...lockout,
    name: "a flood of model lists",
    tries: "Requests the model list as fast as twenty clients without a key can.",
    run: (attack) =>
      crowd(attack, 20, () =>
        ask({ url: `${attack.stage.gateway.url}/v1/models`, method: "GET", secret: "", body: "" }),
      ),
  },
  {
    ...lockout,
    name: "a flood of usage summaries",
    tries: "Requests its usage as fast as ten clients can.",
    run: async (attack) => {
      const { secret } = await attack.stage.makeKey("credit", "0");
      return crowd(attack, 10, () =>
        ask({ url: `${attack.stage.gateway.url}/v1/usage`, method: "GET", secret, body: "" }),
      );
    },
  },
  {
    ...lockout,
    name: "a flood of rejected requests",
    tries: "Requests answers without money as fast as twenty clients can.",
    run: (attack) =>
      repeated(attack, {
        caller: "chat",
        callers: 20,
        credit: "0",
        body: (model) => bodyOf("chat", { model, limit: 5 }),
      }),
  },
  {
    ...lockout,
    name: "pipelined requests on one connection",
    tries: "Sends 500 requests on one connection without waiting for a response.",
    run: async (attack) => {
      const { secret } = await attack.stage.makeKey("credit", "0");
      const request = `GET /v1/usage HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${secret}\r\n\r\n`;
      return hangOn(attack, 4, () => request.repeat(500 * attack.scale));
    },
  },
];
