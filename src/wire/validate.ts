import { z } from "zod";
import { type Fault, fieldFault } from "../core/fault.ts";
import { inputShouldBe } from "../core/request/parsed-texts.ts";
import { scrub } from "../core/secret/scrub.ts";
import { suggest } from "../core/text/suggest.ts";

export type Schema = z.ZodType;

/** What a schema makes of JSON. */
export type ReadAs<Of extends Schema> = Unchanging<z.output<Of>>;

/** The JSON that a schema describes. Nobody changes what is about to be written. */
export type WrittenAs<Of extends Schema> = Unchanging<z.input<Of>>;

type Unchanging<Value> = Value extends object ? { readonly [Name in keyof Value]: Unchanging<Value[Name]> } : Value;

/** The JSON of a value, by a schema that is a codec. */
export const written = <Of extends Schema>(schema: Of, value: ReadAs<Of>): WrittenAs<Of> =>
  z.encode(schema, value as z.output<Of>) as WrittenAs<Of>;

/** The same of what the other side is asked: what it would refuse is refused here, in the same words. */
export function writtenQuestion<Of extends Schema>(schema: Of, value: ReadAs<Of>): WrittenAs<Of> {
  const result = z.safeEncode(schema, value as z.output<Of>, FIRST_PROBLEM);
  if (result.success) return result.data as WrittenAs<Of>;
  throw refusalOf(result.error);
}

/** Checks a value against what we promise; the first problem becomes a refusal whose `param` is the path to it. `at`: where the value stands. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  at: readonly PropertyKey[] = [],
): z.output<Schema> {
  const result = schema.safeParse(value, FIRST_PROBLEM);
  if (result.success) return result.data;
  throw refusalOf(result.error, at);
}

function refusalOf({ issues }: z.ZodError, at: readonly PropertyKey[] = []): Fault {
  const issue = deepest(issues[0]);
  return fieldFault([...at, ...issue.path].map(shown).join(".") || "body", expectation(issue));
}

/** Fields are called like this. Anything else is a name that somebody chose, or a secret in the wrong place. */
const FIELD = /^[a-z_]{1,40}$/;
const shown = (step: PropertyKey): string =>
  typeof step === "number" || FIELD.test(String(step)) ? String(step) : scrub(String(step));

/** One problem is all a caller is told; to find the others in a list of a million wrong ones takes seconds and gigabytes. */
const FIRST_PROBLEM: z.core.ParseContextInternal<z.core.$ZodIssue> = {
  reportInput: true,
  abortEarly: true,
  error: (issue) => (issue.code === "unrecognized_keys" ? unknownField(issue) : undefined),
};

/** Tells where it stands and not what it is called: people send secrets in the wrong place. */
function unknownField({ keys, input, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string {
  const [unknown = ""] = keys;
  const known = Object.keys((inst as z.ZodObject | undefined)?.shape ?? {});
  const meant = suggest(unknown, known);
  const place = Object.keys(input ?? {}).indexOf(unknown) + 1;
  const advice = known.length === 0 ? "No field is taken here." : `The fields are ${known.join(", ")}.`;
  return `Field ${place} is unknown. ${meant === null ? "" : `Did you mean \`${meant}\`? `}${advice}`;
}

type Issue = z.core.$ZodIssue;

/** A union reports one issue with a list per branch; the branch that got furthest into the value is the one meant. */
function deepest(issue: Issue | undefined, prefix: PropertyKey[] = []): Issue {
  if (!issue) return { code: "custom", path: prefix, message: "Input is not valid", input: undefined };
  const path = [...prefix, ...issue.path];
  if (issue.code !== "invalid_union") return { ...issue, path };
  const candidates = issue.errors
    .map((branch) => branch[0])
    .filter((candidate) => candidate && candidate.path.length > 0);
  return candidates[0] ? deepest(candidates[0], path) : { ...issue, path };
}

function expectation(issue: Issue): string {
  // JSON has no such value, so the field is not there.
  if (issue.input === undefined && issue.code !== "custom") return "Field required";
  switch (issue.code) {
    case "invalid_type":
      return inputShouldBe(article(issue.expected));
    case "invalid_value":
      return inputShouldBe(alternatives(issue.values.map((value) => `'${String(value)}'`)));
    case "invalid_union":
      return inputShouldBe(
        alternatives(issue.errors.flatMap((branch) => (branch[0] ? [shortExpectation(branch[0])] : []))),
      );
    case "too_small":
      return size(issue.origin, "at least", issue.minimum);
    case "too_big":
      return size(issue.origin, "at most", issue.maximum);
    case "custom":
    case "invalid_format":
    case "not_multiple_of":
    case "unrecognized_keys":
    case "invalid_key":
    case "invalid_element":
      return issue.message;
    default:
      return "Input is not valid";
  }
}

function shortExpectation(issue: Issue): string {
  return issue.code === "invalid_type" ? article(issue.expected) : expectation(issue);
}

function size(origin: string, bound: string, exact: number | bigint): string {
  const limit = exact.toLocaleString("en-US", { maximumFractionDigits: 20 });
  if (origin === "array") return `List should have ${bound} ${limit} item${limit === "1" ? "" : "s"}`;
  if (origin === "string") return `String should have ${bound} ${limit} character${limit === "1" ? "" : "s"}`;
  return inputShouldBe(`${bound} ${limit}`);
}

function article(name: string): string {
  const word = name === "int" ? "integer" : name === "record" ? "object" : name;
  if (word === "null") return word;
  return /^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`;
}

function alternatives(words: string[]): string {
  const different = [...new Set(words)];
  return different.length < 2
    ? (different[0] ?? "valid")
    : `${different.slice(0, -1).join(", ")} or ${different.at(-1)}`;
}
