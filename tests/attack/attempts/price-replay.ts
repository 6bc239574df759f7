import { ALL_LANES, type PriceAttempt, STRAIGHT } from "../attempt.ts";
import { ask, wordsIn } from "../client.ts";
import { type Format, PATHS } from "../formats.ts";
import { atOnce, LONG_PROMPT } from "./moves.ts";

const all = { kind: "price", lanes: ALL_LANES } as const;
const quick = { habit: { rate: 0 } };
const CLAIM = { "idempotency-key": "the-same" };

/** Answers that an Idempotency-Key might give away. */
export const REPLAYS: readonly PriceAttempt[] = [
  {
    ...all,
    name: "parallel requests with one Idempotency-Key",
    tries: "Sends one request 30 times in parallel with one Idempotency-Key, so that several run and one is charged.",
    model: { habit: { rate: 400 } },
    run: async ({ ask: again, body }) => atOnce(30, () => again(body({ prompt: LONG_PROMPT }), CLAIM)),
  },
  {
    ...all,
    name: "replays of a stored response",
    tries: "Fetches a stored response twenty times, so that the provider is called again.",
    model: quick,
    run: async ({ ask: again, body }) => {
      for (let times = 0; times < 20; times += 1) await again(body({ prompt: LONG_PROMPT }), CLAIM);
    },
  },
  {
    ...all,
    name: "stored response with another body",
    tries: "Reuses an Idempotency-Key with other bodies and on other operations.",
    model: quick,
    run: async ({ ask: again, body, url, secret, model }) => {
      await again(body({ prompt: LONG_PROMPT }), CLAIM);
      for (const prompt of ["another", "one more"]) await again(body({ prompt }), CLAIM);
      const others: readonly Format[] = ["chat", "responses", "messages"];
      await atOnce(others.length, async (index) => {
        const format = others[index] ?? "chat";
        const other =
          format === "responses"
            ? { model, input: LONG_PROMPT }
            : { model, max_tokens: 100, messages: [{ role: "user", content: LONG_PROMPT }] };
        await ask({ url: `${url}${PATHS[format]}`, secret, body: other, headers: CLAIM });
      });
    },
  },
  {
    ...all,
    name: "another tenant's stored response",
    tries: "Guesses an Idempotency-Key used with another key and asks for its stored response.",
    model: quick,
    run: async ({ ask: again, body, secondKey, url, caller }) => {
      const victim = await secondKey();
      const theirs = { url: `${url}${PATHS[caller]}`, secret: victim.secret, headers: CLAIM };
      await ask({ ...theirs, body: body({ prompt: LONG_PROMPT }) });
      const stolen = await again(body({ prompt: LONG_PROMPT }), CLAIM);
      if (stolen.headers["idempotent-replayed"] !== undefined) throw new Error("another key's answer was replayed");
    },
  },
  {
    ...all,
    name: "disconnect from a stream and replay it",
    tries: "Disconnects from a stream with an Idempotency-Key and asks for the rest with the same one.",
    model: { habit: {} },
    run: async ({ open, ask: again, body }) => {
      const stream = await open(body({ stream: true, prompt: LONG_PROMPT }), CLAIM);
      await stream.readUntil((text) => wordsIn(text) >= 100);
      stream.leave();
      for (let tries = 0; tries < 5; tries += 1) await again(body({ stream: true, prompt: LONG_PROMPT }), CLAIM);
    },
  },
  {
    ...all,
    name: "response too large to store",
    tries: "Requests a response that is too large to store, then again with the same Idempotency-Key.",
    lanes: STRAIGHT.filter(({ caller }) => caller === "responses"),
    model: { habit: { rate: 0 }, contextWindow: 20_000_000 },
    credit: "20",
    run: async ({ ask: again, body }) => {
      const extra = { instructions: " ".repeat(1_200_000) };
      for (let tries = 0; tries < 3; tries += 1) await again(body({ extra, prompt: LONG_PROMPT }), CLAIM);
    },
  },
  {
    ...all,
    name: "the other origin",
    refusable: true,
    tries: "Uses a credit key on the token origin and a token key on the credit origin.",
    model: quick,
    run: async ({ stage, caller, unit, secret, body }) => {
      const origin = unit === "credit" ? "/token" : "";
      const url = `${stage.gateway.url}${origin}${PATHS[caller]}`;
      for (const path of [url, url.replace("/v1/", "/V1/"), url.replace("/v1/", "//v1/"), `${url}/`, `${url}?a=/token`])
        await ask({ url: path, secret, body: body({ prompt: LONG_PROMPT }) });
    },
  },
];
