import { isObject } from "../../../core/bytes/is-object.ts";
import { fileOf, sourceOf } from "../../form/build-form.ts";
import { MOST_GEMINI_STOPS } from "../../gemini/form-to-request.ts";
import { heldSchema } from "../../gemini/schema.ts";
import { holdsBesideTools, thinksUnasked } from "../../gemini/thinking.ts";
import { being } from "../conditions.ts";
import { type Exception, lost, refused } from "../field-row.ts";
import { BYTES_ALONE, NOT_ENFORCED } from "../notes.ts";

/** A schema with words that Gemini does not read. */
export const NOT_HELD: Exception = lost(
  {
    words: "with keywords that Gemini does not support",
    when: (schema) => isObject(schema) && !heldSchema(schema).whole,
  },
  NOT_ENFORCED,
);

export const NO_STRICT_CALLS: Exception = lost(being(true), NOT_ENFORCED);

export const NO_SERIAL_CALLS: Exception = lost(being(false), "Gemini has no limit on parallel tool calls.");

/** How an answer is to be formed, where it may be a call instead. */
export const FORM_BESIDE_TOOLS: Exception = lost(
  {
    words: "together with tools, on a Gemini model before 3",
    when: (_, __, { body, models }) =>
      Array.isArray(body["tools"]) && body["tools"].length > 0 && !models.every(holdsBesideTools),
  },
  "Dropped: these models accept only one of the two.",
);

/** What is asked of a model that cannot help thinking. */
export const UNASKED: Exception = lost(
  {
    words: "`none`, on a Gemini model that always reasons",
    when: (effort, _, { models }) => effort === "none" && models.some(thinksUnasked),
  },
  "Sent as the lowest level of the model.",
);

export const TOO_MANY_STOPS: Exception = lost(
  {
    words: "more than five",
    when: (value) => Array.isArray(value) && value.length > MOST_GEMINI_STOPS,
  },
  "The first five are sent.",
);

const isAddress = (url: unknown): boolean => typeof url === "string" && sourceOf(url).kind === "url";

/** What the provider would have to fetch, as chat nests it and responses does not. */
export const AT_ADDRESS: Exception = refused(
  { words: "by URL", when: (image) => isAddress(isObject(image) ? image["url"] : image) },
  BYTES_ALONE,
);

/** The bytes of a file, in an address of the kind that holds them; one that is written otherwise cannot be read here. */
export const UNREADABLE_FILE: Exception = refused(
  {
    words: "not in base64",
    when: (file) => {
      const data = isObject(file) ? file["file_data"] : file;
      return typeof data === "string" && fileOf(data).kind === "url";
    },
  },
  BYTES_ALONE,
);

/** The same of what a message is made of. */
export const LINKED: Exception = refused(
  {
    words: "an image or a document by URL",
    when: (block) => isObject(block) && isObject(block["source"]) && block["source"]["type"] === "url",
  },
  BYTES_ALONE,
);

export const EFFORT =
  "Sent as a level, on Gemini 2.5 as a token budget. `xhigh` and `max` become the highest level; an effort without its own level becomes the next one.";
