import type { LockoutAttempt } from "../attempt.ts";
import { ask } from "../client.ts";
import { bodyOf, type Format, type Json, PATHS } from "../formats.ts";
import { serveNewcomer } from "./crowds.ts";

const TRIGGER = "please refuse";
const TIMES = 20;

type Refusal = {
  name: string;
  tries: string;
  status: number;
  body: Json;
  /** What is asked; it has the trigger in it. */
  prompt?: string;
  dialect?: Format;
};

/** What a provider says about a request, and might be taken for its own state. */
const REFUSALS: readonly Refusal[] = [
  {
    name: "closing a route by flagged prompts",
    tries: "Sends twenty prompts that the provider's content filter rejects.",
    status: 400,
    body: { error: { message: "The response was filtered.", type: null, code: "content_filter" } },
  },
  {
    name: "closing a route by prompts that are too long",
    tries: "Sends twenty prompts that the provider finds longer than its window, some with a status of its own making.",
    status: 413,
    body: { error: { message: "prompt is too long: 250000 tokens > 200000 maximum", type: "invalid_request_error" } },
    dialect: "messages",
  },
  {
    name: "closing a route by malformed refusals",
    tries: "Provokes twenty refusals of a provider that are in no known shape.",
    status: 422,
    body: { detail: [{ loc: ["body", "messages", 0], msg: "Value error, %PROMPT%" }] },
  },
  {
    name: "closing a route by failures before the first word",
    tries: "Sends twenty prompts that crash a self-hosted server, which answers 500 each time.",
    status: 500,
    body: { error: { message: "Internal Server Error", type: "server_error" } },
  },
  {
    name: "closing a route by rate limits",
    tries: "Sends twenty prompts that a provider rejects with 429 because each alone is too much for its rate.",
    status: 429,
    body: {
      error: { message: "Request too large for the model: limit 30000, requested 90000", code: "rate_limit_exceeded" },
    },
  },
  {
    name: "closing a route by quoted words",
    tries:
      "Has the provider quote a prompt at the beginning of its refusal that says that the operator's account is used up.",
    status: 400,
    prompt: `Insufficient Balance, ${TRIGGER}`,
    body: { error: { message: "%PROMPT% is not a valid value", type: "invalid_request_error" } },
  },
  {
    name: "closing a route by quoted credentials",
    tries: "The same with a prompt that says that the operator's key is wrong, in a refusal within a refusal.",
    status: 400,
    prompt: `Incorrect API key provided: ${TRIGGER}`,
    body: { error: { message: "Provider returned error", metadata: { raw: "%PROMPT%" }, code: 400 } },
  },
];

/** Requests that a provider rejects, so that its route would close for all clients. */
export const REFUSED: readonly LockoutAttempt[] = REFUSALS.map(
  ({ name, tries, status, body, prompt = TRIGGER, dialect = "chat" }): LockoutAttempt => ({
    kind: "lockout",
    name,
    tries,
    model: { habit: { tokens: 5, rate: 0, refuse: { status, body, when: TRIGGER } }, dialects: [dialect] },
    run: async (attack) => {
      const { stage, model } = attack;
      const { secret } = await stage.makeKey("credit", "1000");
      const statuses = new Set<number>();
      for (let times = 0; times < TIMES; times += 1) {
        const caller = times % 2 === 0 ? "chat" : "messages";
        const asked = bodyOf(caller, { model, limit: 5, prompt, stream: times % 4 < 2 });
        statuses.add((await ask({ url: `${stage.gateway.url}${PATHS[caller]}`, secret, body: asked })).status);
      }
      await serveNewcomer(attack);
      return `${TIMES} refusals, answered with ${[...statuses].join(", ")}`;
    },
  }),
);
