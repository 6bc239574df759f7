import type { AnswerName } from "../form/sides.ts";

/** The longest id of a call that every provider takes. */
const MOST_CHARACTERS = 40;
/** The random end of an answer's id. */
const OWN_CHARACTERS = 12;
/** A lookup reads the whole body; after this many, calls are taken to be of a provider that repeats itself. */
const MOST_LOOKUPS = 200;

/**
 * Gives a call another id where the conversation has one of that id already. Some providers count their calls anew in every
 * answer, and those that give no ids have them counted here; but results are joined to calls by id alone, so that an agent takes
 * an old result for the new one, and some providers refuse an id that stands twice.
 */
export function createFreshCallIds({ id: answerId, mentions }: Pick<AnswerName, "id" | "mentions">) {
  let lookups = 0;
  let made = 0;
  return (id: string): string => {
    lookups++;
    if (lookups <= MOST_LOOKUPS && !mentions(id)) return id;
    const end = `_${answerId.slice(-OWN_CHARACTERS)}_${made++}`;
    return id.slice(0, MOST_CHARACTERS - end.length) + end;
  };
}
