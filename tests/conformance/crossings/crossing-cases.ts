import { expect } from "vitest";
import { z } from "zod";
import type { Heard, Question } from "./crossing-client.ts";
import type { Pair } from "./crossing-stage.ts";
import type { Told } from "./told.ts";

/** One question and all that could be seen of its answer. */
export type Asked = {
  heard: Heard;
  told: Told;
  /** The fields that the answer says did not reach the provider. */
  dropped: readonly string[];
};

/** Asks for an answer that is to be charged as so many tokens. */
export type Ask = (question: Omit<Question, "model" | "how">, outputTokens: number) => Promise<Asked>;

export type Case = {
  title: string;
  /** What the simulated provider does. */
  script: string;
  /** Looks at what it wants to see, and returns a remark for the table, or none. */
  run: (stage: { pair: Pair; ask: Ask }) => Promise<string>;
};

/** For remarks: the case came to nothing, as was declared, or there is no such case. */
export const LOST = "lost";
export const NOT_ASKED = "not in this format";
/** What passes as it is can be nothing that the provider takes. */
export const REFUSED = "the provider rejects it";
/** Nobody but a provider of the same format can do it. */
export const CLOSED = "the gateway rejects it";

/** What every script says of its input, so that charges can be foretold. */
export const INPUT_TOKENS = 37;
const CACHED_TOKENS = 5;

const PICTURE = Buffer.from("\x89PNG\r\n\x1a\n-not-much-of-a-picture").toString("base64");
const PAPER = Buffer.from("%PDF-1.7 not much of a paper").toString("base64");
const PLACE = z.object({ city: z.string(), degrees: z.number(), kinds: z.array(z.enum(["warm", "cold"])) });
const TOOLS = ["weather", "time"];
const CALLED = { query: "amber harbor" };

const OWN_FORMAT = "Only a provider of the request's own format runs this tool.";

/** What each format calls the wish to think, where it is lost. */
const THINKING_FIELDS = { chat: "reasoning_effort", responses: "reasoning", messages: "thinking" };

/** What each format calls the provider's own search. */
const SEARCHES = {
  chat: { web_search_options: {} },
  responses: { tools: [{ type: "web_search" }] },
  messages: { tools: [{ type: "web_search_20250305", name: "web_search" }] },
};
/** Names that messages alone takes, alike in all that others have room for; and what their providers are told. */
const LONG_NAMES = ["by_city", "by_hour"].map((end) => `mcp__${"weather-service-".repeat(5)}_forecast_${end}`);
const SHORT_NAMES = ["3c3e6556", "ff605727"].map((digest) => `mcp__${"weather-service-".repeat(3)}we_${digest}`);

export const CASES: Record<string, Case> = {
  text: {
    title: "text",
    script: "tokens=12",
    run: async ({ ask }) => {
      const { heard, told } = await ask({}, 12);

      expect(heard.text.split(" ")).toHaveLength(12);
      expect(heard).toMatchObject({ inputTokens: INPUT_TOKENS, cachedTokens: CACHED_TOKENS, outputTokens: 12 });
      expect(told.limitTokens).toBe(900);
      return "";
    },
  },
  calls: {
    title: "two parallel tool calls and their results",
    script: `tools=${TOOLS.join(",")}+tokens=4+once`,
    run: twoCalls,
  },
  names: {
    title: "tool names too long for most providers",
    script: `tools=${SHORT_NAMES.join(",")}+tokens=4+once`,
    run: async ({ ask, pair }) => {
      if (pair.client !== pair.provider) return twoCalls({ ask, pair }, { offered: LONG_NAMES, told: SHORT_NAMES });
      if (pair.provider === "messages") {
        expect((await ask({ tools: LONG_NAMES }, 8)).told.tools).toEqual(LONG_NAMES);
        return "";
      }
      await expect(ask({ tools: LONG_NAMES }, 0)).rejects.toMatchObject({ status: 400 });
      return REFUSED;
    },
  },
  turns: {
    title: "two interleaved tool calls",
    script: `tools=${TOOLS.join(",")}+tokens=4+interleaved+once`,
    run: twoCalls,
  },
  thinking: { title: "reasoning, returned", script: "thinking=5+tools=weather+tokens=4+once", run: thinking },
  signed: {
    title: "reasoning in signed pieces, returned",
    script: "thinking=5+thoughts=detailed+tools=weather+tokens=4+once",
    run: thinking,
  },
  hidden: {
    title: "unreadable reasoning, returned",
    script: "thinking=5+thoughts=hidden+tools=weather+tokens=4+once",
    run: thinking,
  },
  thoughtless: {
    title: "reasoning requested from a model without it",
    script: "thoughtless+tokens=3",
    run: async ({ ask, pair }) => {
      const refused = (strict: { strict?: true }) =>
        expect(ask({ thinks: true, ...strict }, 0)).rejects.toMatchObject({ status: 400 });
      if (pair.client === pair.provider) {
        await refused({});
        return REFUSED;
      }
      await refused({ strict: true });
      const { told, dropped } = await ask({ thinks: true }, 3);

      expect(told).toMatchObject({ thinks: false, effort: undefined });
      expect(dropped).toContain(THINKING_FIELDS[pair.client]);
      return LOST;
    },
  },
  picture: {
    title: "image",
    script: "tokens=3",
    run: async ({ ask }) => {
      expect((await ask({ picture: PICTURE, strict: true }, 3)).told.pictures).toEqual([PICTURE]);
      return "";
    },
  },
  document: {
    title: "PDF",
    script: "tokens=3",
    run: async ({ ask }) => {
      expect((await ask({ document: PAPER }, 3)).told.documents).toEqual([PAPER]);
      return "";
    },
  },
  schema: {
    title: "structured output",
    script: "tokens=9",
    run: async ({ ask }) => {
      const { heard, told } = await ask({ schema: PLACE }, 9);

      expect(heard.parsed).toEqual({ city: "amber harbor", degrees: 7, kinds: ["warm", "warm"] });
      expect(told.schema).toMatchObject({ type: "object", required: ["city", "degrees", "kinds"] });
      return "";
    },
  },
  stop: {
    title: "stop sequence",
    script: "tokens=12",
    run: async ({ ask, pair }) => {
      if (pair.client === "responses") return NOT_ASKED;
      const lost = pair.provider === "responses";
      const { heard, told, dropped } = await ask({ stop: " ocean" }, lost ? 12 : 2);

      expect(dropped).toEqual(lost ? [pair.client === "chat" ? "stop" : "stop_sequences"] : []);
      expect(told.stop).toEqual(lost ? undefined : [" ocean"]);
      expect(heard.text.split(" ")).toHaveLength(lost ? 12 : 2);
      return lost ? LOST : `\`${heard.stop}\``;
    },
  },
  refusal: {
    title: "refusal",
    script: "refusal+tokens=4",
    run: async ({ ask, pair }) => {
      const { heard } = await ask({}, 4);

      // What is said in its place is known for a refusal by its end alone there.
      const said = pair.provider === "converse" ? heard.text : heard.refusal;
      expect(said).toBe("Declining harbor ocean valley");
      return `\`${heard.stop}\``;
    },
  },
  length: {
    title: "length",
    script: "tokens=12",
    run: async ({ ask }) => {
      const { heard, told } = await ask({ limitTokens: 5 }, 5);

      expect(heard.text.split(" ")).toHaveLength(5);
      expect(told.limitTokens).toBe(5);
      return `\`${heard.stop}\``;
    },
  },
  search: {
    title: "web search that the provider runs",
    script: "tokens=6",
    run: async ({ ask, pair }) => {
      const more = SEARCHES[pair.client];
      // Google's models have a search of their own, which the price of the model names.
      if (pair.client === pair.provider || pair.provider === "gemini") {
        const { heard } = await ask({ more, strict: true }, 6);
        expect(heard.text.split(" ")).toHaveLength(6);
        return "";
      }
      await expect(ask({ more }, 0)).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining(OWN_FORMAT) as string,
      });
      return CLOSED;
    },
  },
  unknown: {
    title: "an unknown field",
    script: "tokens=3",
    run: async ({ ask, pair }) => {
      const more = { never_heard_of: 1 };
      const { dropped } = await ask({ more }, 3);

      const same = pair.client === pair.provider;
      expect(dropped).toEqual(same ? [] : ["never_heard_of"]);
      if (!same) await expect(ask({ more, strict: true }, 0)).rejects.toMatchObject({ status: 400 });
      return same ? "" : LOST;
    },
  },
};

export const scriptOf = (script: string): string => `${script}+input=${INPUT_TOKENS}+cached=${CACHED_TOKENS}`;

/** The names of tools that the client offers, and those that its provider is told. */
type Names = { offered: readonly string[]; told: readonly string[] };

async function twoCalls(
  { ask }: Parameters<Case["run"]>[0],
  { offered: tools, told }: Names = { offered: TOOLS, told: TOOLS },
): Promise<string> {
  const first = await ask({ tools, strict: true }, 8);
  const { calls, turn } = first.heard;
  expect(calls).toMatchObject(tools.map((name) => ({ name, input: CALLED })));
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  expect(first.told.tools).toEqual(told);

  const results = calls.map(({ id }, index) => ({ id, text: `the ${told[index]}` }));
  const second = await ask({ tools, strict: true, after: { turn, results } }, 4);

  expect(second.heard.text.split(" ")).toHaveLength(4);
  expect(second.told.calls.map(({ name }) => name)).toEqual(told);
  expect(second.told.results).toEqual(second.told.calls.map(({ id, name }) => ({ id, text: `the ${String(name)}` })));
  return "";
}

/** The provider refuses thoughts that are not as it gave them, so that an answer to the second turn says they were. */
async function thinking({ ask }: Parameters<Case["run"]>[0]): Promise<string> {
  const first = await ask({ tools: ["weather"], thinks: true }, 9);
  const { calls, turn, thoughts } = first.heard;
  expect(calls).toMatchObject([{ name: "weather", input: CALLED }]);
  expect(first.told).toMatchObject({ thinks: true, effort: "high" });

  const results = calls.map(({ id }) => ({ id, text: "cold" }));
  const second = await ask({ tools: ["weather"], thinks: true, after: { turn, results } }, 9);

  expect(second.heard.text.split(" ")).toHaveLength(4);
  expect(second.told.thoughts).toHaveLength(1);
  expect(second.told.thoughts[0]?.text ?? "").toBe(thoughts);
  return thoughts === "" ? "*unread*" : "";
}
