import type { ClientDialect, ProviderDialect } from "../../core/dialect.ts";
import { isObject } from "../../core/is-object.ts";
import { heldSchema, isHoldable } from "../messages/schema.ts";
import type { OpenSeal } from "../form/native.ts";

/**
 * What becomes of a field on its way to a provider of another format: said in the same terms, said in that format's terms, lost,
 * or a reason to refuse the request, since an answer to what is left of it would be an answer to something else.
 */
export type Fate = "kept" | "translated" | "lost" | "refused";

export type Condition = { words: string; when: Test };

type Test = (value: unknown, owner: Record<string, unknown>, to: Recipient) => boolean;

/** Whom a request is for: a provider of a format, and what its model can do; and the whole of the request, with what opens its seals. */
export type Recipient = {
  provider: ProviderDialect;
  body: Record<string, unknown>;
  open: OpenSeal;
} & Required<ModelFacts>;
/**
 * `sampling`: it takes a temperature and its like; absent, it does. `budgeted`: it thinks by a budget, `unasked`: it thinks in any
 * case; absent, it does not.
 */
export type ModelFacts = { reasoning: boolean; sampling?: boolean; budgeted?: boolean; unasked?: boolean };

/** One field of one client format. A row with a condition speaks of the values that meet it, and only of those. */
export type FieldRow = {
  /** `*` stands for every element of a list. */
  path: string;
  fates: Partial<Record<ProviderDialect, Fate>>;
  /** The condition, in words and in code. */
  only?: Condition;
  /** How it is translated, or why it cannot be. */
  note?: string;
};

/** Rows of one format, in its own order of the other two. */
export function rowsTo(first: ClientDialect, second: ClientDialect) {
  return (path: string, fates: readonly [Fate, Fate], rest: Pick<FieldRow, "only" | "note"> = {}): FieldRow => ({
    path,
    fates: { [first]: fates[0], [second]: fates[1] },
    ...rest,
  });
}

export const otherThan = (...values: readonly unknown[]): Condition => ({
  words: `other than ${values.map((value) => `\`${String(value)}\``).join(", ")}`,
  when: (value) => !values.includes(value),
});

export const being = (...values: readonly unknown[]): Condition => ({
  words: values.map((value) => `\`${String(value)}\``).join(", "),
  when: (value) => values.includes(value),
});

/** What becomes of the name of a tool at every provider of another format. */
export const TOOL_NAME: Pick<FieldRow, "note"> = {
  note: "One of up to 64 letters, digits, `_` and `-` is kept; of others the beginning is sent with a digest, and calls come back under the caller's own.",
};

const LONGEST_TOOL_NAME = 128;

/** It is repeated with every call, and with every member of a namespace, and must not make a small exchange a large one. */
export const OVERLONG_NAME: Pick<FieldRow, "only" | "note"> = {
  only: {
    words: `longer than ${LONGEST_TOOL_NAME} characters`,
    when: (name) => typeof name === "string" && name.length > LONGEST_TOOL_NAME,
  },
  note: "No provider takes a name of that length.",
};

/** A part that does not say what it is; the formats themselves refuse it, and nobody could translate it. */
export const UNTYPED: Condition = {
  words: "without a `type`",
  when: (part) => !isObject(part) || typeof part["type"] !== "string",
};

/** A word of the caller's that has no meaning here, where others have. */
export const wordOtherThan = (...values: readonly string[]): Condition => ({
  words: otherThan(...values).words,
  when: (value) => typeof value === "string" && !values.includes(value),
});

/** Arguments of a call that was cut off. */
export const NO_JSON_OBJECT: Condition = {
  words: "that is no JSON object",
  when: (value) => typeof value === "string" && value !== "" && !isJsonObject(value),
};

/** A search is called with an object; calls of all other tools with a text. */
export const NO_TEXT: Condition = {
  words: "that is no text",
  when: (value, { type }) => typeof value !== "string" && type !== "tool_search_call",
};

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** What a messages provider is asked for and cannot hold an answer to. */
export const NOT_HELD: Pick<FieldRow, "only" | "note"> = {
  only: { words: "with bounds or open members", when: (schema) => isObject(schema) && !heldSchema(schema).whole },
  note: "Told, and not enforced.",
};

/** The same of calls, by what names the schema of a tool; `listed` finds those of all tools that are to be held to theirs. */
export const notHeld = (
  member: string,
  listed: (body: Record<string, unknown>) => readonly unknown[],
): Pick<FieldRow, "only" | "note"> => ({
  only: {
    words: "with bounds or open members, or of more tools than are held at once",
    when: (strict, tool, { body }) => strict === true && !isHoldable(tool[member], listed(body)),
  },
  note: "Told, and not enforced.",
});

/** How a row is worded that speaks of thinking which was broken off. */
export const IDLE_THOUGHT = "thinking of a messages provider after which nothing was said";

/** How a row is worded that speaks of thinking which a model cannot be asked for. */
export const BEYOND_BUDGETS =
  "to a messages model that thinks by a budget, after calls made without thinking or with a limit below 1,280 tokens";

/** What is asked of a model that cannot help thinking. */
export const UNASKED: Pick<FieldRow, "only" | "note"> = {
  only: {
    words: "`none`, to a messages model that thinks in any case",
    when: (effort, _, { unasked }) => unasked && effort === "none",
  },
  note: "Told as `low`.",
};

/** What the newest messages models choose by themselves. */
export const WITHOUT_SAMPLING: Pick<FieldRow, "only" | "note"> = {
  only: {
    words: "other than 1, to a model that takes none",
    when: (value, _, { sampling }) => !sampling && value !== 1,
  },
  note: "Claude Opus takes none from 4.7 on, and no Claude from 5 on.",
};

/** Why content is refused that only its own format knows. */
export const UNKNOWN_CONTENT = "This kind of content has no counterpart in the formats of this model's providers.";

/** What becomes of text that says nothing. */
export const NO_BLANKS = "Texts of white space alone are left out at messages providers, which refuse them.";

/** How a row is worded that speaks of what only a model that reasons takes. */
export const WITHOUT_REASONING = "to a model without reasoning";

/** What becomes of tools that wait to be searched for. */
export const FOUND_TOOLS =
  "Offered once the caller's search has found it, or it must be called; with a search that the provider runs, from the start.";
