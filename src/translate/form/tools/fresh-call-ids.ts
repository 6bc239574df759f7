import type { AnswerName } from "../sides.ts";

/** The longest id of a call that every provider takes. */
const MOST_CHARACTERS = 40;
/** The random end of an answer's id. */
const OWN_CHARACTERS = 12;
/** A lookup reads the whole body; after this many, calls are taken to be of a provider that repeats itself. */
const MOST_LOOKUPS = 200;
/** What may be read for all of them, so that one event with many calls does not keep everybody else waiting. */
const MOST_BYTES_READ = 67_108_864;

/**
 * Gives a call another id where the conversation has one of that id already. Some providers count their calls anew in every
 * answer, and those that give no ids have them counted here; but results are joined to calls by id alone, so that an agent takes
 * an old result for the new one, and some providers refuse an id that stands twice.
 */
export function createFreshCallIds({
  id: answerId,
  mentions,
  bodyBytes,
}: Pick<AnswerName, "id" | "mentions" | "bodyBytes">) {
  const most = Math.min(MOST_LOOKUPS, Math.floor(MOST_BYTES_READ / Math.max(1, bodyBytes)));
  let lookups = 0;
  let made = 0;
  return (id: string): string => {
    lookups++;
    if (lookups <= most && !mentions(id)) return id;
    const end = `_${answerId.slice(-OWN_CHARACTERS)}_${made++}`;
    return id.slice(0, MOST_CHARACTERS - end.length) + end;
  };
}
