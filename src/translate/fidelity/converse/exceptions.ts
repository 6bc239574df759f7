import { isObject } from "../../../core/bytes/is-object.ts";
import { MOST_CACHE_POINTS } from "../../converse/cache-points.ts";
import { formatOf } from "../../converse/media.ts";
import {
  cachesTools,
  cachesTurns,
  isClaude,
  isOpenAi,
  takesChoice,
  takesFailures,
  takesNamedChoice,
  takesSchema,
  takesSpans,
} from "../../converse/models.ts";
import { takesEffort } from "../../converse/thinking.ts";
import { fileOf, hasWords, sourceOf } from "../../form/build-form.ts";
import { heldSchema } from "../../form/claude/schema.ts";
import { takesSampling, thinksUnasked } from "../../form/claude/thinking.ts";
import { objectOf, objectsOf } from "../../form/read-json.ts";
import type { Source } from "../../form/request-form.ts";
import { being } from "../conditions.ts";
import { type Exception, lost, type Recipient, refused } from "../field-row.ts";
import { BYTES_ALONE, NOT_ENFORCED } from "../notes.ts";

/** A row speaks of the models that do not take a thing; of several what any of them loses is lost. */
const unless =
  (takes: (model: string) => boolean) =>
  ({ models }: Recipient): boolean =>
    !models.every(takes);

/** A schema with bounds. */
export const NOT_HELD: Exception = lost(
  { words: "with bounds or open properties", when: (schema) => isObject(schema) && !heldSchema(schema).whole },
  NOT_ENFORCED,
);

const doesNotHold = unless(takesSchema);
/** How an answer is to be formed, where nobody can say so. */
export const NO_SCHEMA: Exception = lost(
  { words: "on a model that no schema is accepted for", when: (_, __, to) => doesNotHold(to) },
  "Amazon Nova, Llama, Cohere, AI21, DeepSeek R1, and Claude before 4.5.",
);

export const NO_STRICT_CALLS: Exception = lost(being(true), NOT_ENFORCED);
export const NO_SERIAL_CALLS: Exception = lost(being(false), "Converse has no limit on parallel tool calls.");

const WITHOUT_TOOLS = {
  words: "with the tool choice `none`",
  when: (_: unknown, __: object, { body }: Recipient) => choosesNone(body),
};
/** There is no such choice here, so that a model is not shown what it may not call. */
export const NOT_OFFERED: Exception = lost(WITHOUT_TOOLS, "Converse has no such choice: no tools are sent.");

function choosesNone({ tool_choice: choice }: Recipient["body"]): boolean {
  return choice === "none" || (isObject(choice) && choice["type"] === "none");
}

const chooses = unless(takesChoice);
const choosesByName = unless(takesNamedChoice);
/** A choice that not every model can be held to. */
export const NOT_FORCED: Exception = lost(
  {
    words: "that forces a call, on a model that accepts none",
    when: (choice, _, to) => {
      const { type = choice } = objectOf(choice);
      const isNamed = type === "function" || type === "custom" || type === "tool";
      return isNamed ? choosesByName(to) : (type === "required" || type === "any") && chooses(to);
    },
  },
  "Claude and Nova accept all, Mistral no single tool, the others none: the model chooses.",
);

const tellsNoFailure = unless(takesFailures);
export const NO_FAILURES: Exception = lost({
  words: "true, on a model other than Claude and Nova",
  when: (value, _, to) => value === true && tellsNoFailure(to),
});

/** What is asked of a model that nobody can tell how much to think. */
export const NO_EFFORT: Exception = lost({
  words: "on a model other than Claude, OpenAI's and Nova 2",
  when: (value, _, { models }) => value !== "none" && models.some((model) => !takesEffort(model)),
});

/** What is asked of a model that cannot help thinking. */
export const UNASKED: Exception = lost(
  {
    words: "`none`, on a model that always reasons",
    when: (effort, _, { models }) =>
      effort === "none" && models.some((model) => thinksUnasked(model) || isOpenAi(model)),
  },
  "Sent as `low`.",
);

/** Thinking that a model other than Claude is asked for without a word of how much. */
export const isForClaude = ({ models }: Recipient): boolean => models.some(isClaude);

export const EFFORT =
  "Claude: adaptive thinking, or a budget on models without it. OpenAI and Nova 2: a level; `xhigh` and `max` become `high`, on Nova `medium`.";

/** How a row is worded that speaks of thinking which was broken off. */
export const IDLE_THOUGHT = "reasoning that no text or call follows";

type Thinks = (body: Record<string, unknown>) => boolean;

/** What the newest models of Claude choose by themselves. */
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
      words: "above 1, or with reasoning on Claude",
      when: (value, body, to) =>
        (typeof value === "number" && value > 1) || (to.reasoning && isForClaude(to) && thinks(body)),
    },
    "Sent as 1; not sent with reasoning.",
  ),
  WITHOUT_SAMPLING,
];

/** The same of `top_p`. */
export const topPs = (thinks: Thinks): readonly [Exception, Exception] => [
  WITHOUT_SAMPLING,
  lost({
    words: "together with `temperature` or with reasoning, on Claude",
    when: (_, body, to) =>
      isForClaude(to) && (typeof body["temperature"] === "number" || (to.reasoning && thinks(body))),
  }),
];

export const BLANK_STOP: Exception = lost({
  words: "only white space",
  when: (value) => ![value].flat().every((stop) => hasWords(String(stop))),
});

const TYPES = "Only PNG, JPEG, GIF and WebP, and documents as PDF, text, CSV, HTML, Word or Excel, are accepted.";
const isUnnamed = (source: Source, isImage: boolean): boolean => {
  if (source.kind === "url") return false;
  const found = formatOf(source.mediaType);
  return found === null || (isImage && found.as !== "image");
};

const isAddress = (url: unknown): boolean => typeof url === "string" && sourceOf(url).kind === "url";
const urlIn = (image: unknown): unknown => (isObject(image) ? image["url"] : image);

/** What the provider would have to fetch, as chat nests it and responses does not. */
export const AT_ADDRESS: Exception = refused(
  { words: "by URL", when: (image) => isAddress(urlIn(image)) },
  BYTES_ALONE,
);
export const UNNAMED_IMAGE: Exception = refused(
  {
    words: "of another type",
    when: (image) => {
      const url = urlIn(image);
      return typeof url === "string" && isUnnamed(sourceOf(url), true);
    },
  },
  TYPES,
);

/** The bytes of a file, in an address of the kind that holds them; one that is written otherwise cannot be read here. */
export const UNREADABLE_FILE: Exception = refused(
  {
    words: "not in base64, or of another type",
    when: (file) => {
      const data = isObject(file) ? file["file_data"] : file;
      if (typeof data !== "string") return false;
      const source = fileOf(data);
      return source.kind === "url" || isUnnamed(source, false);
    },
  },
  `${BYTES_ALONE} ${TYPES}`,
);

/** The same of what a message is made of. */
export const LINKED: Exception = refused(
  {
    words: "an image or a document by URL",
    when: (block) => isObject(block) && isObject(block["source"]) && block["source"]["type"] === "url",
  },
  BYTES_ALONE,
);
export const UNNAMED: Exception = refused(
  {
    words: "an image or a document of another type",
    when: (block) => {
      const { type, source } = objectOf(block);
      const { type: kind, media_type: mediaType, data } = objectOf(source);
      if (kind !== "base64" || typeof mediaType !== "string" || typeof data !== "string") return false;
      return isUnnamed({ kind: "inline", mediaType, data }, type === "image");
    },
  },
  TYPES,
);

const cachesNoTurns = unless(cachesTurns);
const cachesNoTools = unless(cachesTools);
const tellsNoSpan = unless(takesSpans);

/** Marks of what is to be cached, of which one request has a few. */
const MARKS_BEYOND: Exception = lost(
  { words: `more than ${MOST_CACHE_POINTS}`, when: (_, __, { body }) => marksIn(body) > MOST_CACHE_POINTS },
  "The last four are sent.",
);
const NO_SPAN: Exception = lost(
  {
    words: "with a `ttl` other than `5m` and `1h`, or on a model other than Claude from 4.5 on",
    when: (mark, _, to) => {
      const { ttl } = objectOf(mark);
      return ttl != null && (tellsNoSpan(to) || (ttl !== "5m" && ttl !== "1h"));
    },
  },
  "Sent without it.",
);
export const UNCACHED: readonly [Exception, ...Exception[]] = [
  lost({ words: "on a model other than Claude and Nova", when: (_, __, to) => cachesNoTurns(to) }),
  NO_SPAN,
  MARKS_BEYOND,
];
export const UNCACHED_TOOLS: readonly [Exception, ...Exception[]] = [
  lost({
    words: "on a model other than Claude, or with the tool choice `none`",
    when: (_, __, to) => cachesNoTools(to) || choosesNone(to.body),
  }),
  NO_SPAN,
  MARKS_BEYOND,
];

function marksIn({ system, tools, messages }: Recipient["body"]): number {
  const blocks = objectsOf(messages).flatMap(({ content }) => objectsOf(content));
  const within = blocks.flatMap(({ content }) => objectsOf(content));
  return [...objectsOf(system), ...objectsOf(tools), ...blocks, ...within].filter(({ cache_control: mark }) =>
    isObject(mark),
  ).length;
}
