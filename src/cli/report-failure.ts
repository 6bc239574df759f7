import { ConfigError } from "../config/config-error.ts";
import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import { screenOf } from "./text/screen.ts";
import { connectionLost, LineRefusedError, sqlStateOf, whyRefused } from "../db/database-error.ts";
import { SHOW_TIMELINE, TIMELINE_HIDDEN } from "../db/trouble.ts";

/** A failure the user can act on: it says what happened and what to do, and needs no stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** A table, a column or a function that is not there. */
const UNKNOWN_OBJECT = new Set(["42P01", "42703", "42883"]);

/** What the language throws, and nobody on purpose. */
const UNFORESEEN = new Set(["Error", "TypeError", "RangeError", "ReferenceError", "SyntaxError", "URIError"]);

/** Errors written for whoever reads them. */
const PLAIN = [CommandError, Fault, Conflict, ConfigError, LineRefusedError] as const;

/** Says on standard error why a command failed. What we did not foresee keeps its stack: somebody will have to find it. */
export function reportFailure(error: unknown, asJson: boolean): void {
  const message = messageOf(error);
  if (asJson) process.stderr.write(`${JSON.stringify({ error: { message } })}\n`);
  else process.stderr.write(`${screenOf(process.stderr).paint("bad", "tollgate:")} ${message}\n`);
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (PLAIN.some((kind) => error instanceof kind)) return error.message;
  const refusal = whyRefused(error);
  if (refusal !== null) return refusal;
  const state = sqlStateOf(error);
  if (state !== null && UNKNOWN_OBJECT.has(state))
    return `the database is not up to date (${error.message}). Run \`tollgate migrate\`.`;
  if (state !== null)
    return `the database returned an error: ${error.message} (${state}).${databaseAdvice(state, error.message)}`;
  const fromSystem = systemMessage(error);
  if (fromSystem !== null) return fromSystem;
  if (error.name.endsWith("Error") && !UNFORESEEN.has(error.name)) return error.message;
  return error.stack ?? error.message;
}

function databaseAdvice(state: string, message: string): string {
  if (TIMELINE_HIDDEN.test(message)) return ` ${SHOW_TIMELINE}`;
  if (state === "3D000") return " Create it, or correct DATABASE_URL.";
  if (state === "42501")
    return " Connect as the owner of the tables, or let the owner run `tollgate migrate --serving-role NAME` (docs/operate/database-roles.md).";
  return state.startsWith("28") ? " Correct the user or the password in DATABASE_URL." : "";
}

const LISTEN_ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: "Stop the process that uses this port, or choose another with --port",
  EADDRNOTAVAIL: "This machine does not have that address; choose another host",
  EACCES: "Ports below 1024 need privileges; choose a higher one",
};

/** What the machine or the network refused. Its sentence says which file or address; a stack would add nothing. */
function systemMessage(error: Error): string | null {
  const { code = "", syscall = "", path } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" && path !== undefined) return `file not found: ${path}.`;
  if (syscall === "listen" || syscall === "bind")
    return `${error.message}. ${LISTEN_ADVICE[code] ?? "Choose another address"}.`;
  if (connectionLost(error))
    return `${error.message || "connection refused"}. Check that the server is running and that its address is correct.`;
  if (NO_TLS.test(error.message))
    return `${error.message}. Remove sslmode from DATABASE_URL, or turn on TLS at the server.`;
  if (CERTIFICATE.test(code)) {
    return `the server's certificate is not trusted: ${error.message} (${code}). Add its issuer with sslrootcert=FILE in DATABASE_URL.`;
  }
  return syscall === "" ? null : `${error.message}.`;
}

/** The driver gives this no code. */
const NO_TLS = /^The server does not support SSL connections/;
const CERTIFICATE = /CERT|^UNABLE_TO_(GET|VERIFY)/;
