/** An error as it is logged: bounded, and without what callers wrote. */
export type ErrorDescription = {
  name: string;
  message: string;
  code?: string;
  detail?: unknown;
  stack?: string;
  cause?: ErrorDescription;
  errors?: ErrorDescription[];
};

const MESSAGE_CHARACTERS = 1000;
const STACK_CHARACTERS = 4000;
const DETAIL_CHARACTERS = 2000;
const CAUSES = 3;

/** Describes anything that was thrown. `depth` counts the causes already described. */
export function describeError(thrown: unknown, depth = 0): ErrorDescription {
  if (!(thrown instanceof Error)) return { name: typeof thrown, message: "something that is not an Error was thrown" };
  const { code, detail } = thrown as { code?: unknown; detail?: unknown };
  const deeper = (inner: unknown) => describeError(inner, depth + 1);
  return {
    name: thrown.name,
    message: messageOf(thrown),
    ...(typeof code === "string" || typeof code === "number" ? { code: `${code}` } : {}),
    ...(detail === undefined ? {} : { detail: boundedDetail(detail) }),
    ...(thrown.stack === undefined ? {} : { stack: framesOf(thrown.stack) }),
    ...(thrown.cause !== undefined && depth < CAUSES ? { cause: deeper(thrown.cause) } : {}),
    ...(thrown instanceof AggregateError && depth < CAUSES
      ? { errors: thrown.errors.slice(0, CAUSES).map(deeper) }
      : {}),
  };
}

/** A value that fits on a log line, as data when it is small and as cut text when it is not. */
export function boundedDetail(detail: unknown): unknown {
  try {
    const json =
      JSON.stringify(detail, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value)) ?? "null";
    return json.length > DETAIL_CHARACTERS ? json.slice(0, DETAIL_CHARACTERS) : JSON.parse(json);
  } catch {
    return "a detail that cannot be written as JSON";
  }
}

/** A JSON parser quotes its input in its message, and the input may be a prompt. */
const messageOf = (error: Error): string =>
  error instanceof SyntaxError ? "withheld, as it may quote its input" : error.message.slice(0, MESSAGE_CHARACTERS);

/** Frames only: the lines before the first repeat the message. */
function framesOf(stack: string): string {
  const start = stack.search(/^\s+at /m);
  return start === -1 ? "" : stack.slice(start, start + STACK_CHARACTERS);
}
