import { isObject } from "../../../core/bytes/is-object.ts";
import { heldSchema, isHoldable } from "../../form/claude/schema.ts";
import { takesSampling, thinksUnasked } from "../../form/claude/thinking.ts";
import { type Exception, lost } from "../field-row.ts";
import { NOT_ENFORCED } from "../notes.ts";

/** What a messages provider is asked for and cannot hold an answer to. */
export const NOT_HELD: Exception = lost(
  { words: "with bounds or open properties", when: (schema) => isObject(schema) && !heldSchema(schema).whole },
  NOT_ENFORCED,
);

/** The same of calls, by what names the schema of a tool; `listed` finds those of all tools that are to be held to theirs. */
export const notHeld = (member: string, listed: (body: Record<string, unknown>) => readonly unknown[]): Exception =>
  lost(
    {
      words: "with bounds or open properties, or with more strict tools than the provider supports",
      when: (strict, tool, { body }) => strict === true && !isHoldable(tool[member], listed(body)),
    },
    NOT_ENFORCED,
  );

/** How a row is worded that speaks of thinking which was broken off. A messages provider refuses a turn that ends in it. */
export const IDLE_THOUGHT = "reasoning of a messages provider that no text or call follows";
export const LEFT_OUT = "The reasoning is dropped.";

/** How a row is worded that speaks of thinking which a model cannot be asked for. */
export const BEYOND_BUDGETS =
  "on a messages model with reasoning budgets, after calls made without reasoning or with an output limit below 1,280 tokens";

/** What is asked of a model that cannot help thinking. */
export const UNASKED: Exception = lost(
  {
    words: "`none`, on a messages model that always reasons",
    when: (effort, _, { models }) => effort === "none" && models.some(thinksUnasked),
  },
  "Sent as `low`.",
);

/** How a row is worded that speaks of thinking which a forced call leaves no room for. */
export const BESIDE_FORCED_CALL = "together with a forced tool call";
export const WITHOUT_THINKING = "Sent as an effort, without reasoning.";

type Thinks = (body: Record<string, unknown>) => boolean;

/** What the newest messages models choose by themselves. */
const WITHOUT_SAMPLING: Exception = lost(
  {
    words: "other than 1, on a model that does not accept it",
    when: (value, _, { models }) => value !== 1 && !models.every(takesSampling),
  },
  "Claude Opus does not accept it from 4.7 on, and no Claude model from 5 on.",
);

/** A temperature that is not taken, by what says whether the model is to think. */
export const temperatures = (thinks: Thinks): readonly [Exception, Exception] => [
  lost(
    {
      words: "above 1, or with reasoning",
      when: (value, body, { reasoning }) => (typeof value === "number" && value > 1) || (reasoning && thinks(body)),
    },
    "Sent as 1; not sent with reasoning.",
  ),
  WITHOUT_SAMPLING,
];

/** The same of `top_p`. */
export const topPs = (thinks: Thinks): readonly [Exception, Exception] => [
  WITHOUT_SAMPLING,
  lost({
    words: "together with `temperature`, or with reasoning",
    when: (_, body, { reasoning }) => typeof body["temperature"] === "number" || (reasoning && thinks(body)),
  }),
];

/** What becomes of text that says nothing. */
export const NO_BLANKS = "Text of only white space is dropped for messages providers, which reject it.";
