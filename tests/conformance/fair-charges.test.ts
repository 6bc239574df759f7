import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Dialect, onlyStraight } from "../support/provider-dialect.ts";
import { type ScriptedGateway, startScriptedGateway, type Way, WAYS } from "../support/scripted-gateway.ts";
import { beginning, ending, whole } from "../support/scripted-provider.ts";
import { until } from "../support/until.ts";
import { openStream, readAll } from "../contract/open-stream.ts";
import { ask } from "../contract/operations.ts";
import { chargesOf, type IssuedKey, issueKey, operate } from "../contract/operator.ts";

/** A token each, in every vocabulary there is. */
const WORDS = Array.from({ length: 400 }, () => "word ");
const DEADLINE_MS = 2_500;
/** A word more or less, of a piece that was cut in two. */
const SLACK_TOKENS = 3;

const usageOf = (dialect: Dialect, output: number): unknown =>
  dialect === "chat"
    ? { prompt_tokens: 20, completion_tokens: output, total_tokens: 20 + output }
    : { input_tokens: 20, output_tokens: output, ...(dialect === "responses" && { total_tokens: 20 + output }) };

let scripted: ScriptedGateway["scripted"];
let gateway: ScriptedGateway["gateway"];
let stop: ScriptedGateway["stop"];
beforeAll(async () => {
  ({ scripted, gateway, stop } = await startScriptedGateway({
    settings: { TOLLGATE_LIMITS_STREAM_DEADLINE_MS: String(DEADLINE_MS) },
  }));
}, 180_000);
afterAll(() => stop?.());

type Asked = { way: Way; key: IssuedKey; produced: number };
/** `produced`: tokens that the provider wrote. `delivered`: of these, what certainly reached the client and is to be paid. */
type Outcome = {
  what: string;
  kind: string;
  run: (asked: Asked) => Promise<void>;
  delivered: (produced: number) => number;
};

const fieldsOf = ({ operation, name }: Way) => ({ model: name, [operation.limitField]: 4_000 });
const open = ({ way, key }: Asked): Promise<IncomingMessage> =>
  openStream(way.operation, { gateway, key: key.secret, fields: fieldsOf(way) });
const plain = ({ way, key }: Asked) => ask(way.operation, { gateway, key: key.secret, fields: fieldsOf(way) });
const begin = ({ provider }: Way, usage?: unknown): string[] => beginning(provider, WORDS, usage);

/** Reads until the last word has come. */
async function readWords(stream: IncomingMessage): Promise<void> {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (piece: string) => (text += piece));
  await until(() => text.split("word ").length > WORDS.length, "all words have come");
}

const all = (produced: number): number => produced;
const nothing = (): number => 0;

const OUTCOMES: Outcome[] = [
  {
    what: "a stream that completes and reports its usage",
    kind: "completed",
    run: async (asked) => {
      const usage = usageOf(asked.way.provider, asked.produced);
      scripted.say([...begin(asked.way, usageOf(asked.way.provider, 1)), ...ending(asked.way.provider, WORDS, usage)]);
      await readAll(await open(asked));
    },
    delivered: all,
  },
  {
    what: "a stream that completes and reports none",
    kind: "completed",
    run: async (asked) => {
      scripted.say([...begin(asked.way), ...ending(asked.way.provider, WORDS, undefined)]);
      await readAll(await open(asked));
    },
    delivered: all,
  },
  {
    what: "a client that leaves after the last word",
    kind: "client_gone",
    run: async (asked) => {
      scripted.say(begin(asked.way), "hang");
      const stream = await open(asked);
      await readWords(stream);
      stream.destroy();
    },
    delivered: all,
  },
  {
    what: "a client that leaves before the first word",
    kind: "client_gone",
    run: async (asked) => {
      scripted.say(beginning(asked.way.provider, []), "hang");
      const stream = await open(asked);
      stream.destroy();
    },
    delivered: nothing,
  },
  {
    what: "a provider that resets the connection after the last word",
    kind: "upstream_failed",
    run: async (asked) => {
      scripted.say(begin(asked.way), "reset");
      await readAll(await open(asked)).catch(() => undefined);
    },
    delivered: nothing,
  },
  {
    what: "a provider that ends without an end",
    kind: "upstream_failed",
    run: async (asked) => {
      scripted.say(begin(asked.way));
      await readAll(await open(asked)).catch(() => undefined);
    },
    delivered: nothing,
  },
  {
    what: "a deadline of ours",
    kind: "timed_out",
    run: async (asked) => {
      scripted.say(begin(asked.way), "hang");
      await readAll(await open(asked)).catch(() => undefined);
    },
    delivered: all,
  },
  {
    what: "a key that is revoked after the last word",
    kind: "client_gone",
    run: async (asked) => {
      scripted.say(begin(asked.way), "hang");
      const stream = await open(asked);
      await readWords(stream);
      const closed = once(stream, "close");
      await operate(gateway, `POST /keys/${asked.key.id}/revoke`);
      await closed;
    },
    delivered: all,
  },
  {
    what: "a plain answer with its usage",
    kind: "completed",
    run: async (asked) => {
      scripted.answer(whole(asked.way.provider, WORDS, usageOf(asked.way.provider, asked.produced)));
      await plain(asked);
    },
    delivered: all,
  },
  {
    what: "a plain answer without",
    kind: "completed",
    run: async (asked) => {
      scripted.answer(whole(asked.way.provider, WORDS, undefined));
      await plain(asked);
    },
    delivered: all,
  },
];

describe.each(WAYS)("$name", (way) => {
  test.for(OUTCOMES)(
    "$what is charged for what the provider wrote, and for no more [MON-21]",
    async ({ kind, run, delivered }, context) => {
      onlyStraight(context, "the file says itself which formats meet");
      const produced = WORDS.length;
      const key = await issueKey(gateway, { credit: "1" });
      await run({ way, key, produced });
      await until(async () => (await chargesOf(gateway, key)).length === 1, "it is charged");

      const [charge] = await chargesOf(gateway, key);
      const output = charge?.output_tokens ?? 0;
      expect(charge?.kind).toBe(kind);
      const paid = delivered(produced);
      // What is free costs nothing, whatever its row says of it.
      if (paid === 0) expect(Number(charge?.amount)).toBeGreaterThan(-0.001);
      else {
        expect(output).toBeLessThanOrEqual(produced * 1.05);
        expect(output).toBeGreaterThanOrEqual(paid * 0.95 - SLACK_TOKENS);
      }
    },
  );
});
