import type { Json } from "../core/bytes/json.ts";
import { collectGenerated, type GeneratedKind, type GeneratedTexts, type OutputMembers } from "./collect-generated.ts";
import { DeliveredText } from "./delivered-text.ts";
import { RepeatedText } from "./form/repeated-text.ts";
import { readEvent } from "./read-event.ts";
import { eventData } from "../wire/sse/event-data.ts";

/**
 * What an event says of one item of an answer, such as a choice or a block. `item`: its names, of which the first that is known tells which.
 * `more`: it goes on where the one before ended. `whole`: it is the whole of the part, or without a part of the item, and perhaps said before
 * in pieces. `again`: the same, where all of an answer is said once more, so that nothing else can be meant.
 */
export type GeneratedPiece = GeneratedTexts & {
  item: readonly string[];
  part: string | null;
  form: "more" | "whole" | "again";
};

/** What is written in a value, as more of an item. */
export const moreOf = (item: readonly string[], value: unknown, members: OutputMembers, part = ""): GeneratedPiece => ({
  item,
  part,
  form: "more",
  ...collectGenerated(value, members),
});

/** Everything that the model wrote in an event of one format, each once. */
export type ReadGenerated = (event: Json) => readonly GeneratedPiece[];

/** What came whole: the last of it, how that begins, and what others came to in the same place before it. */
type Whole = { whole: number; beginning: string; others: number };
type Part = Whole & { more: number };
type Item = Whole & { parts: Map<string, Part>; sum: number; counted: number };
type Place = { item: Item; part: Part | null };

/** More than any answer has. What comes in others is added up without a look at what it repeats. */
const MOST_PARTS = 10_000;
const KINDS = ["said", "thought"] as const;
/** How some streams end. */
const DONE = "[DONE]";

/**
 * How much a provider has produced in a stream, for whenever nobody else can say it: a cut, a deadline, a checkpoint, an end without usage.
 * Every text counts once: per part the larger of its pieces and its whole form. It is fed with every event of the provider.
 */
export class OutputMeter {
  readonly delivered = new DeliveredText();
  readonly #read: ReadGenerated;
  readonly #repeated: RepeatedText;
  readonly #items = new Map<string, Item>();
  #parts = 0;
  /** Where the text of the last event went, if it was one piece of what was said. */
  #grew: Place | null = null;

  /** `counter`: the name of a number that differs in every event and that nobody reads. */
  constructor(read: ReadGenerated, counter: string | null = null) {
    this.#read = read;
    this.#repeated = new RepeatedText(counter);
  }

  /** Whether this event is the one before but for its text, which is counted then. Every event must be shown to this first. */
  again(bytes: Buffer, start: number, end: number): boolean {
    const repeated = this.#repeated;
    if (!repeated.isLike(bytes, start, end) || this.#grew === null) return false;
    const fresh = countMore(this.#grew, repeated.end - repeated.start);
    if (fresh > 0) this.delivered.addRange(bytes, repeated.end - fresh, repeated.end);
    return true;
  }

  /** Counts any other event. One that is no JSON may be anything, so that all of it counts. */
  note(event: Buffer, data: Json | null = readEvent(event)): void {
    this.#grew = null;
    if (data === null) {
      const text = eventData(event);
      if (text !== DONE) this.delivered.addText(text ?? "");
      return;
    }
    let texts = 0;
    let lone: { text: string; place: Place } | null = null;
    for (const generated of this.#generatedIn(event, data))
      for (const kind of KINDS) {
        const text = generated[kind];
        if (text === "") continue;
        texts++;
        const place = this.#placeOf(generated, kind);
        this.#add(text, generated, place, kind);
        lone = place !== null && kind === "said" && generated.form === "more" ? { text, place } : null;
      }
    if (texts !== 1 || lone === null) return;
    this.#grew = lone.place;
    this.#repeated.learn(event, lone.text);
  }

  #add(text: string, { form }: GeneratedPiece, place: Place | null, kind: GeneratedKind): void {
    const bytes = Buffer.byteLength(text);
    const fresh = place === null ? bytes : form === "more" ? countMore(place, bytes) : countWhole(place, form, text);
    if (fresh > 0) this.delivered.addText(lastBytes(text, fresh), kind === "thought" ? "thought" : "answer");
  }

  #generatedIn(event: Buffer, data: Json): readonly GeneratedPiece[] {
    try {
      return this.#read(data);
    } catch {
      // Nested too deeply to be looked into.
      return [{ item: [""], part: "", form: "more", said: event.toString(), thought: "" }];
    }
  }

  /** Null: there are too many to tell them apart. */
  #placeOf({ item: names, part: partName }: GeneratedPiece, kind: GeneratedKind): Place | null {
    const item = this.#itemOf(names, kind);
    if (item === null) return null;
    if (partName === null) return { item, part: null };
    let part = item.parts.get(partName);
    if (part === undefined) {
      if (++this.#parts > MOST_PARTS) return null;
      part = { more: 0, ...NOTHING_WHOLE };
      item.parts.set(partName, part);
    }
    return { item, part };
  }

  #itemOf(names: readonly string[], kind: GeneratedKind): Item | null {
    for (const name of names) {
      const known = this.#items.get(`${kind}/${name}`);
      if (known !== undefined) return known;
    }
    if ((this.#parts += names.length) > MOST_PARTS) return null;
    const item: Item = { parts: new Map(), sum: 0, counted: 0, ...NOTHING_WHOLE };
    for (const name of names) this.#items.set(`${kind}/${name}`, item);
    return item;
  }
}

const NOTHING_WHOLE: Whole = { whole: 0, beginning: "", others: 0 };
/** Texts that begin alike for so long are the same text. */
const BEGINNING = 256;

/** Adds so many bytes to what is known of a place: how many of them were not counted before. */
function countMore({ item, part }: Place, bytes: number): number {
  if (part === null) item.sum += bytes;
  else {
    const before = bytesOf(part);
    part.more += bytes;
    item.sum += bytesOf(part) - before;
  }
  return uncounted(item);
}

function countWhole({ item, part }: Place, form: "whole" | "again", text: string): number {
  if (part === null) retell(item, form, text);
  else {
    const before = bytesOf(part);
    retell(part, form, text);
    item.sum += bytesOf(part) - before;
  }
  return uncounted(item);
}

const bytesOf = ({ more, whole, others }: Part): number => Math.max(more, others + whole);

function uncounted(item: Item): number {
  const now = Math.max(item.sum, item.others + item.whole);
  const fresh = now - item.counted;
  item.counted = now;
  return fresh;
}

/** A text that begins otherwise than the one before it does not repeat it: some providers give all items one number, or call pieces whole. */
function retell(told: Whole, form: "whole" | "again", text: string): void {
  const bytes = Buffer.byteLength(text);
  const beginning = text.slice(0, BEGINNING);
  const repeats = beginning.startsWith(told.beginning) || told.beginning.startsWith(beginning);
  if (repeats || form === "again") told.whole = Math.max(told.whole, bytes);
  else {
    told.others += told.whole;
    told.whole = bytes;
  }
  if (!repeats || beginning.length > told.beginning.length) told.beginning = beginning;
}

/** What was not counted yet stands at the end. */
function lastBytes(text: string, bytes: number): string {
  const all = Buffer.from(text);
  return bytes >= all.length ? text : all.subarray(all.length - bytes).toString();
}
