type Json = Record<string, unknown>;

/** What Amazon calls an event, by what is in it; a recorded one has its name around it. */
export function converseEvent(event: unknown): { name: string; data: unknown } {
  const given = (event ?? {}) as Json;
  const [name = "", ...more] = Object.keys(given);
  if (more.length === 0 && NAMES.has(name)) return { name, data: given[name] };
  return { name: nameOf(given), data: event };
}

const NAMES: ReadonlySet<string> = new Set([
  "messageStart",
  "contentBlockStart",
  "contentBlockDelta",
  "contentBlockStop",
  "messageStop",
  "metadata",
]);

function nameOf({ __type: type, role, start, delta, stopReason, usage }: Json): string {
  if (type !== undefined) return "exception";
  if (role !== undefined) return "messageStart";
  if (start !== undefined) return "contentBlockStart";
  if (delta !== undefined) return "contentBlockDelta";
  if (stopReason !== undefined) return "messageStop";
  return usage === undefined ? "contentBlockStop" : "metadata";
}

/** Events as the translation is given them, when they have come in frames. */
export const framedConverse = (events: readonly unknown[]): string =>
  events
    .map((event) => {
      const { name, data } = converseEvent(event);
      return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    })
    .join("");
