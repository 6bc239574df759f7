/** A server-sent event named by the `type` inside its data, which is how responses and messages frame theirs. */
export function frameByType(data: string): string {
  const type = typeOf(data);
  return type === null ? `data: ${data}\n\n` : `event: ${type}\ndata: ${data}\n\n`;
}

/** Recordings may hold broken JSON on purpose; its leading type is still what the provider would have named it. */
function typeOf(data: string): string | null {
  try {
    const { type } = JSON.parse(data) as { type?: unknown };
    return typeof type === "string" ? type : null;
  } catch {
    return /^\{"type":"([\w.]+)"/.exec(data)?.[1] ?? null;
  }
}
