import fc, { type Arbitrary } from "fast-check";
import { z } from "zod";
import { translates } from "../support/provider-dialect.ts";
import { MARKER_PLACE } from "./marker.ts";
import type { FuzzRoute } from "./routes.ts";

/** Within the limit every model of the stage publishes, so that a valid body is a body that is answered. */
const MOST_TOKENS = 4_096;

/** Bodies that keep every promise of a route's own schema: these must be answered with 200. */
export function validBody(route: FuzzRoute): Arbitrary<Record<string, unknown>> {
  if (route.schema === null) return fc.constant({});
  return valuesOf(route.schema).map((value) => {
    const body = value as Record<string, unknown>;
    // Two names of one limit, which must not differ.
    delete body["max_completion_tokens"];
    for (const message of Array.isArray(body["messages"]) ? (body["messages"] as Record<string, unknown>[]) : [])
      if (Array.isArray(message["tool_calls"])) message["tool_calls"] = message["tool_calls"].map(calling);
    return { ...body, ...(translates() && spoken(body)), model: route.model, x_marker: MARKER_PLACE };
  });
}

/** The schema carries calls as they are; what they must have is asked for beside it. */
const calling = (extra: object, place: number): object => ({
  ...extra,
  id: `call_${place}`,
  type: "function",
  function: { name: "look", arguments: "{}" },
});

/** Where requests are translated, what is said in them arrives, and fields nobody has heard of do not. */
function spoken({ messages, input }: Record<string, unknown>): object {
  const said = { role: "user", content: MARKER_PLACE };
  return {
    ...(Array.isArray(messages) && { messages: [...(messages as unknown[]), said] }),
    ...(input !== undefined && { input: Array.isArray(input) ? [...(input as unknown[]), said] : MARKER_PLACE }),
  };
}

const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
  { weight: 1, arbitrary: fc.constantFrom(MARKER_PLACE, "", "\u0000", "\ud800", "data: [DONE]\n\n", '"}]}', "𝕏") },
);

/** Fields nobody has promised are carried. Their names begin in a way that no refused field does. */
const extras = fc.dictionary(
  fc.string({ maxLength: 6 }).map((name) => `x_${name}`),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 2 },
);

/** Values a schema accepts, made from the schema itself. */
function valuesOf(schema: z.core.$ZodType): Arbitrary<unknown> {
  const { minimum, maximum } = boundsOf(schema);
  if (schema instanceof z.ZodOptional) return fc.option(valuesOf(schema.unwrap()), { nil: undefined, freq: 2 });
  if (schema instanceof z.ZodNullable) return fc.option(valuesOf(schema.unwrap()), { nil: null });
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.options.map(valuesOf));
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodNull) return fc.constant(null);
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodString) return text.filter((made) => made.length >= (minimum ?? 0));
  if (schema instanceof z.ZodNumber) {
    const [min, max] = [minimum ?? 0, Math.min(maximum ?? MOST_TOKENS, MOST_TOKENS)];
    return isWhole(schema) ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
  }
  if (schema instanceof z.ZodArray)
    return fc.array(valuesOf(schema.element), { minLength: minimum ?? 0, maxLength: Math.min(maximum ?? 3, 3) });
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape).map(([name, member]) => [name, valuesOf(member)]);
    const known = fc.record(Object.fromEntries(members) as Record<string, Arbitrary<unknown>>);
    return fc.tuple(known, extras).map(([made, extra]) => ({ ...extra, ...withoutAbsent(made) }));
  }
  throw new Error(`no values are made for schemas of the kind ${schema._zod.def.type}`);
}

/** A schema may also say so of itself, where no double holds all the numbers it takes. */
const isWhole = (schema: z.ZodNumber): boolean => schema.isInt || schema.meta()?.["type"] === "integer";

/** The bounds of a length or a number, whichever the schema has. */
function boundsOf(schema: z.core.$ZodType): { minimum?: number; maximum?: number } {
  const bounds: { minimum?: number; maximum?: number } = {};
  for (const { _zod } of schema._zod.def.checks ?? []) {
    const { check, minimum, maximum, value } = _zod.def as { check: string } & Record<string, number | undefined>;
    if (check === "min_length" || check === "greater_than") bounds.minimum = minimum ?? value ?? 0;
    if (check === "max_length" || check === "less_than") bounds.maximum = maximum ?? value ?? 0;
  }
  return bounds;
}

const withoutAbsent = (value: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
