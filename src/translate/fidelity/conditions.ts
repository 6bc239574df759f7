import { isObject } from "../../core/bytes/is-object.ts";
import { type Condition, type Exception, refused } from "./field-row.ts";
import { PROVIDER_RUN, SEARCH_ALONE } from "./notes.ts";

const GEMINI = { alone: "gemini" } as const;

export const otherThan = (...values: readonly unknown[]): Condition => ({
  words: `other than ${values.map((value) => `\`${String(value)}\``).join(", ")}`,
  when: (value) => !values.includes(value),
});

export const being = (...values: readonly unknown[]): Condition => ({
  words: values.map((value) => `\`${String(value)}\``).join(", "),
  when: (value) => values.includes(value),
});

/** A word of the caller's that has no meaning here, where others have. */
export const wordOtherThan = (...values: readonly string[]): Condition => ({
  words: otherThan(...values).words,
  when: (value) => typeof value === "string" && !values.includes(value),
});

const isOf = (types: RegExp, type: unknown): type is string => typeof type === "string" && types.test(type);
const FETCH = /^web_fetch/;

/** Tools that only a provider of the client's own format runs as they are meant; Google's models search the web, and open no pages. */
export const providerRun = (types: RegExp): readonly [Exception, Exception, Exception] => [
  {
    ...refused(
      { words: "a web search or fetch that the provider runs", when: (type) => isOf(types, type) },
      PROVIDER_RUN,
    ),
    at: { except: "gemini" },
  },
  {
    ...refused(
      { words: "a web fetch that the provider runs", when: (type) => isOf(types, type) && FETCH.test(type) },
      PROVIDER_RUN,
    ),
    at: GEMINI,
  },
  {
    ...refused(
      {
        words: "a web search that the provider runs, beside other tools",
        when: (type, _, { body }) => isOf(types, type) && Array.isArray(body["tools"]) && body["tools"].length > 1,
      },
      SEARCH_ALONE,
    ),
    at: GEMINI,
  },
];

/** Which sites may be searched is nothing that a client can do without, and Google is not told. */
export const SITES: Exception = {
  ...refused(
    {
      words: "of a web search",
      when: (sites) => (Array.isArray(sites) ? sites.length > 0 : isObject(sites) && Object.keys(sites).length > 0),
    },
    "Google's models can't be told which sites to search. Remove this field, or use another model.",
  ),
  at: GEMINI,
};

/** A part that does not say what it is; the formats themselves refuse it, and nobody could translate it. */
export const UNTYPED: Condition = {
  words: "without a `type`",
  when: (part) => !isObject(part) || typeof part["type"] !== "string",
};

/** Arguments of a call that was cut off. */
export const NO_JSON_OBJECT: Condition = {
  words: "not a JSON object",
  when: (value) => typeof value === "string" && value !== "" && !isJsonObject(value),
};

/** A search is called with an object; calls of all other tools with a text. */
export const NO_TEXT: Condition = {
  words: "not a string",
  when: (value, { type }) => typeof value !== "string" && type !== "tool_search_call",
};

/** Of two names of the caller's user one is sent. */
export const BESIDE_IDENTIFIER: Condition = {
  words: "together with `safety_identifier`",
  when: (_, body) => typeof body["safety_identifier"] === "string",
};

/** How a row is worded that speaks of what only a model that reasons takes. */
export const WITHOUT_REASONING = "on a model without reasoning";

const LONGEST_TOOL_NAME = 128;

/** It is repeated with every call, and with every member of a namespace, and must not make a small exchange a large one. */
export const OVERLONG_NAME: Exception = refused(
  {
    words: `longer than ${LONGEST_TOOL_NAME} characters`,
    when: (name) => typeof name === "string" && name.length > LONGEST_TOOL_NAME,
  },
  "No provider accepts a name of that length.",
);

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
