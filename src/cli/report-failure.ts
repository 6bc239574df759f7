import { ConfigError } from "../config/config-error.ts";
import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import { sqlStateOf } from "../db/database-error.ts";

/** A failure the user can act on: it says what happened and what to do, and needs no stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** A table, a column or a function that is not there. */
const UNKNOWN_OBJECT = new Set(["42P01", "42703", "42883"]);

/** Errors written for whoever reads them. */
const PLAIN = [CommandError, Fault, Conflict, ConfigError] as const;

/** Says on standard error why a command failed. What we did not foresee keeps its stack: somebody will have to find it. */
export function reportFailure(error: unknown, asJson: boolean): void {
  const message = messageOf(error);
  if (asJson) process.stderr.write(`${JSON.stringify({ error: { message } })}\n`);
  else process.stderr.write(`tollgate: ${message}\n`);
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (PLAIN.some((kind) => error instanceof kind)) return error.message;
  const code = "code" in error ? String(error.code) : "";
  if (code === "EADDRINUSE") return `${error.message}. Stop what listens there, or choose another port with --port.`;
  if (code === "ENOENT" && "path" in error) return `there is no file ${String(error.path)}.`;
  if (code === "ECONNREFUSED")
    return `${error.message || "connection refused"}. Is the server running, and is its address right?`;
  const state = sqlStateOf(error);
  if (state !== null && UNKNOWN_OBJECT.has(state))
    return `the database is not up to date (${error.message}). Run \`tollgate migrate\`.`;
  if (state !== null) return `the database refused: ${error.message} (${state}).`;
  if (error.name.endsWith("Error") && error.name !== "Error" && error.name !== "TypeError") return error.message;
  return error.stack ?? error.message;
}
