import { AmbientError, type AmbientSources, type AskCloud } from "./ambient.ts";
import { isObject } from "../../core/bytes/is-object.ts";

type Question = Omit<Parameters<AskCloud>[0], "signal" | "timeoutMs"> & {
  timeoutMs?: number;
  /** What to do about a refusal, as a sentence. */
  mend: string;
  /** What to do when nothing answers, as a sentence. */
  unreachable?: string;
};

/** What a cloud answered. Its text stays out of every message: it may hold a token. */
type JsonAnswer = {
  /** For messages: without a query, which may hold anything. */
  address: string;
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
  /** Before the question was sent, so that a lifetime counted from here never ends too late. */
  askedAtMs: number;
};

const TIMEOUT_MS = 10_000;
const CODE = /^[A-Za-z0-9_.]{1,64}$/;

/** Asks once. Anything but 200 with a JSON object is an `AmbientError`; an aborted signal throws its own reason. */
export async function askForJson(
  { ask, nowMs }: AmbientSources,
  signal: AbortSignal,
  { mend, unreachable = "Check that this process may reach it.", timeoutMs = TIMEOUT_MS, ...question }: Question,
): Promise<JsonAnswer> {
  const { origin, pathname } = new URL(question.url);
  const address = origin + pathname;
  const askedAtMs = nowMs();
  let answer: Awaited<ReturnType<AskCloud>>;
  try {
    answer = await ask({ ...question, timeoutMs, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new AmbientError(`${address} did not answer${reasonOf(error)}. ${unreachable}`);
  }
  const body = objectIn(answer.text);
  if (answer.status !== 200)
    throw new AmbientError(`${address} answered ${[answer.status, ...codesIn(body)].join(" ")}. ${mend}`);
  if (body === null) throw new AmbientError(`${address} answered with something other than a JSON object. ${mend}`);
  return { address, headers: answer.headers, body, askedAtMs };
}

/** The text of an error may repeat an address with a query, or a header: only its code is told. */
function reasonOf(error: unknown): string {
  const { cause, code, name } = (error ?? {}) as { cause?: unknown; code?: unknown; name?: unknown };
  if (name === "TimeoutError") return " in time";
  if (cause instanceof Error) return reasonOf(cause);
  return typeof code === "string" && CODE.test(code) ? ` (${code})` : "";
}

export function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** OAuth's `error`, Google's `error.status`, and the code that begins Entra's description. */
function codesIn(body: Readonly<Record<string, unknown>> | null): string[] {
  const error = body?.["error"];
  const description = body?.["error_description"];
  const codes = [
    isObject(error) ? error["status"] : error,
    typeof description === "string" ? /^AADSTS\d{1,10}(?=:)/.exec(description)?.[0] : undefined,
  ];
  return codes.filter((code) => typeof code === "string").filter((code) => CODE.test(code));
}
