/** As the functions of the ledger name it when a call reaches a server that does not have the books. */
const LINE_REFUSED = "08T01";
/** The same for a transaction of an isolation level under which they cannot work. */
const ISOLATION_REFUSED = "55T02";
/** The same for requests whose ids were made by a clock that is far from the database's. */
export const CLOCK_REFUSED = "22T03";

/** More work is waiting for the database than it may queue, or it waited too long. Nothing was sent: safe to retry. */
export class DatabaseBusyError extends Error {
  override readonly name = "DatabaseBusyError";
}

/** The server answers but takes no writes, or no listed server does. */
export class NotPrimaryError extends Error {
  override readonly name = "NotPrimaryError";
}

/**
 * The server answers and takes writes, and must not be used: it is not the one that has the books. The message says which it is,
 * and the remedy. Of the class of lost connections, so that the right server is looked for.
 */
export class LineRefusedError extends Error {
  override readonly name = "LineRefusedError";
  readonly code = LINE_REFUSED;
  /** The same without addresses, for whoever asks whether the process is ready. */
  readonly shown: string;

  constructor(message: string, { shown, cause }: { shown: string; cause?: unknown }) {
    super(message, { cause });
    this.shown = shown;
  }
}

/** The five characters with which PostgreSQL names an error; null when the error did not come from PostgreSQL. */
export function sqlStateOf(error: unknown): string | null {
  const code = codeOf(error);
  // Every SQLSTATE has a digit; EPIPE and its kind have none.
  return code !== null && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code) ? code : null;
}

/** True when the server cancelled a statement, as it does with one that ran for longer than it may. */
export const wasTooSlow = (error: unknown): boolean => sqlStateOf(error) === "57014";

/** True when the server will not tell this role, or tells no role, as a managed service does with views it has taken away. */
export const isWithheld = (error: unknown): boolean => ["42501", "0A000"].includes(sqlStateOf(error) ?? "");

/** A standby refuses a write, or the server is going away, or is not ready yet. */
const LOST_STATES = new Set(["25006", "57P01", "57P02", "57P03", "57P05"]);
const LOST_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EMFILE",
  "ENFILE",
]);
/** Errors of connections that could not be made: an expired certificate, a wrong password, whatever it was. */
const UNCONNECTED = new WeakSet<object>();

/** Notes that an error was met before anything was sent, so that it is an outage and no defect, whatever it says. */
export function unconnected(error: unknown): unknown {
  if (typeof error === "object" && error !== null) UNCONNECTED.add(error);
  return error;
}

/** The driver gives these no code. */
const LOST_MESSAGE =
  /^(Connection terminated|Query read timeout|Client has encountered a connection error|timeout expired)/;

/**
 * True when the connection can no longer be used, or should not be. Whether the statement was carried out is then unknown,
 * except for 25006, which is a refusal.
 */
export function connectionLost(error: unknown): boolean {
  if (error instanceof NotPrimaryError || UNCONNECTED.has(error as object)) return true;
  const state = sqlStateOf(error);
  if (state !== null) return LOST_STATES.has(state) || state.startsWith("08");
  const code = codeOf(error);
  return (code !== null && LOST_CODES.has(code)) || (error instanceof Error && LOST_MESSAGE.test(error.message));
}

export function codeOf(error: unknown): string | null {
  if (typeof error !== "object" || error === null || !("code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

const REFUSALS = new Set([LINE_REFUSED, ISOLATION_REFUSED, CLOCK_REFUSED]);

/** Why a server that answers is not used, and the remedy; null when the error is another one. */
export function whyRefused(error: unknown): string | null {
  if (error instanceof LineRefusedError) return error.shown;
  const state = sqlStateOf(error);
  if (!(error instanceof Error) || state === null || !REFUSALS.has(state)) return null;
  const { hint } = error as { hint?: string };
  return hint === undefined ? error.message : `${error.message}: ${hint}`;
}
