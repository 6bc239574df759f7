import { isObject } from "../../../core/bytes/is-object.ts";
import { effortOf } from "../../form/build-form.ts";
import { isStrictSchema } from "../../form/tools/strict-schema.ts";
import { type Condition, type Exception, lost } from "../field-row.ts";
import { NOT_ENFORCED } from "../notes.ts";

export const LINKED_DOCUMENT: Condition = { words: "a document by URL", when: isLinkedDocument };

export const OF_LINKED_DOCUMENT: Condition = {
  words: "of a document by URL",
  when: (_, owner) => isLinkedDocument(owner),
};

function isLinkedDocument(block: unknown): boolean {
  return (
    isObject(block) && block["type"] === "document" && isObject(block["source"]) && block["source"]["type"] === "url"
  );
}

/** Thinking that a model is asked for without a word of how much. */
export const ADAPTIVE: Condition = {
  words: "adaptive, without an effort",
  when: (thinking, { output_config: output }) =>
    isObject(thinking) && thinking["type"] === "adaptive" && !(isObject(output) && effortOf(output["effort"]) !== null),
};

/** Thinking that a model which reasons is asked to leave. */
export const DISABLED: Exception = lost(
  {
    words: "disabled, on a model with reasoning",
    when: (value, _, { reasoning }) => reasoning && isObject(value) && value["type"] === "disabled",
  },
  "Each model has its own name for the lowest setting and rejects the others.",
);

const NOT_STRICT = "with open or optional properties, or combined by other means than `anyOf`";

/** A schema that providers of chat completions and responses would refuse to hold an answer to. */
export const NOT_STRICT_SCHEMA: Exception = lost(
  { words: NOT_STRICT, when: (schema) => !isStrictSchema(schema) },
  NOT_ENFORCED,
);

/** The same of calls. */
export const NOT_STRICT_TOOL: Exception = lost(
  { words: NOT_STRICT, when: (strict, tool) => strict === true && !isStrictSchema(tool["input_schema"]) },
  NOT_ENFORCED,
);

export const BUDGETS = "Sent as an effort: budgets from 4,096 tokens are `medium`, from 16,384 `high`.";
export const HIDDEN_USER = "Sent as a pseudonym of the user.";
export const OLDER_NAME = "The older name of `output_config.format`.";
