/** What a cloud gave, and until when it holds; null: it does not end. */
export type Issued<Value> = { value: Value; expiresAtMs: number | null };

/** Asks a cloud for a credential, anew each time it is called. */
export type Issue<Value> = (signal: AbortSignal) => Promise<Issued<Value>>;

export type AskCloud = (question: {
  url: string;
  method: "GET" | "POST" | "PUT";
  headers?: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs?: number;
  signal: AbortSignal;
}) => Promise<{ status: number; headers: Readonly<Record<string, string>>; text: string }>;

/** What this process was given by whoever deployed it. */
export type AmbientSources = {
  variable: (name: string) => string | undefined;
  /** Throws with the reason alone. What it reads is not trimmed. */
  readFile: (path: string) => Promise<string>;
  /** Follows no redirect, uses no proxy, reads 64 KiB at most. */
  ask: AskCloud;
  nowMs: () => number;
};

/**
 * Why a cloud gave no credential, in words that name the source (a variable, a path, an address) and the mend, and never repeat anything of a
 * credential or of an answer that may hold one.
 */
export class AmbientError extends Error {
  override readonly name = "AmbientError";
}
