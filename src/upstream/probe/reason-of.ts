/** Why a call failed. `fetch failed` says nothing; its cause does. */
export function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return "unknown reason";
  if (error.name === "TimeoutError") return `no answer within ${timeoutMs} ms`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return "code" in cause ? `${String(cause.code)} ${cause.message}`.trim() : cause.message;
}
