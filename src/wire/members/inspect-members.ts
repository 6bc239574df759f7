import type { Json } from "../../core/bytes/json.ts";
import { type Fault, fieldFault } from "../../core/fault.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import { askOf, type CacheAsk, CACHE_MARKS, CACHE_NAMES, isOfCache, isOpen, longest } from "./cache-asks.ts";
import type { IsCut } from "./cut-members.ts";
import { mediaProblem, type MediaUrls } from "./media-address.ts";
import { isRefused, type MemberRefusal, wordsFor } from "./refusal.ts";
import { fold, isUnconditional, type Member, type Shape } from "./shape.ts";

/** A member that no row knows: its name, what it is called in declarations, and where the first one stands. */
export type UnknownMember = { name: string; path: string; at: string };

/** What asks a provider to cache, as it stands in a body. `open`: the table looks into it. */
export type CacheMark = UnknownMember & { asks: CacheAsk; open: boolean };

/** What a body holds beside what its format knows. */
export type Inspection = {
  /** The first member that no provider is sent, as a refusal that names it; the rest of the body was not read then. */
  fault: Fault | null;
  /** Members were taken out of the value: null, empty lists, those left out, and refused ones where these are not a fault. */
  changed: boolean;
  /** What was taken out though it says something, and is declared: the first of every kind of object. [interface decision 10] */
  leftOut: readonly UnknownMember[];
  unknown: readonly UnknownMember[];
  /** There are more unknown ones than are listed. */
  more: boolean;
  /** What asks a provider to cache: the first of every kind of object. */
  cacheMarks: readonly CacheMark[];
};

/** `refused`: what becomes of a member that no provider is sent. */
type Terms = { mediaUrls: MediaUrls; refused: "fault" | "taken out" };

/**
 * The member for which a reader that does not mind case would take a name that is none; null: it is like none. Such a reader would let it
 * stand in for the member that we have read, so that it is never sent on.
 */
function likeOf(shape: Shape, name: string): string | null {
  const folded = fold(name);
  return shape.folded.get(folded) ?? (folded !== name && CACHE_MARKS.has(folded) ? folded : null);
}

/** Cuts what is left out of the value. */
export const isLeftOut: IsCut = (name, member, { shape }) =>
  member === undefined ? likeOf(shape, name) !== null : member.dropped;

/** A caller may make up as many names as its body has room for. */
const MOST_UNKNOWN = 100;

/** Reads every member of a body once. What is as good as absent is taken out of the value; its bytes are another matter. */
export function inspectMembers(shape: Shape, body: Json, terms: Terms): Inspection {
  return new Walk(terms).over(shape, body);
}

class Walk {
  readonly #terms: Terms;
  /** The way from the outermost object to the one that is read; nothing is joined until something is found. */
  readonly #way: (string | number)[] = [];
  readonly #unknown: UnknownMember[] = [];
  readonly #leftOut: UnknownMember[] = [];
  readonly #marks: CacheMark[] = [];
  readonly #noted = new Map<Shape, Set<string>>();
  #fault: Fault | null = null;
  #changed = false;
  #more = false;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  over(shape: Shape, body: Json): Inspection {
    this.#stays(shape, body);
    return {
      fault: this.#fault,
      changed: this.#changed,
      leftOut: this.#leftOut,
      unknown: this.#unknown,
      more: this.#more,
      cacheMarks: this.#marks,
    };
  }

  /** False: the value is to be taken out, since it is nothing without what was refused in it. */
  #stays(shape: Shape, value: unknown): boolean {
    if (Array.isArray(value)) {
      this.#list(shape, value);
      return true;
    }
    return !isObject(value) || this.#object(shape, value);
  }

  #list(shape: Shape, values: unknown[]): void {
    let kept = 0;
    for (let index = 0; index < values.length && this.#fault === null; index++) {
      this.#way.push(index);
      if (this.#stays(shape, values[index])) values[kept++] = values[index];
      this.#way.pop();
    }
    if (this.#fault === null) values.length = kept;
  }

  #object(shape: Shape, value: Json): boolean {
    const found = shape.whole?.(value) ?? null;
    if (found !== null) return this.#refuse(value, found[0], found[1]);
    for (const name in value) {
      const member = shape.members.get(name);
      if (CACHE_NAMES.has(name)) this.#mark(name, value[name], member);
      const stays =
        member === undefined ? this.#stranger(shape, value, name) : this.#member({ shape, owner: value, name, member });
      if (!stays) return false;
      if (this.#fault !== null) return true;
    }
    return true;
  }

  #member({ shape, owner, name, member }: { shape: Shape; owner: Json; name: string; member: Member }): boolean {
    const value = owner[name];
    if (value === null || (Array.isArray(value) && value.length === 0)) {
      if (value === null ? member.absent.null : member.absent.empty) this.#takeOut(owner, name);
      return true;
    }
    const { refusal, dropped, media, inside } = member;
    if (dropped) return this.#leaveOut(owner, name);
    if (refusal !== null && isRefused(value, refusal)) {
      const [plainer = name] = name === "type" ? Object.keys(owner).filter((other) => says(shape, owner, other)) : [];
      return this.#refuse(owner, plainer, shape.members.get(plainer)?.refusal ?? refusal) && plainer === name;
    }
    if (media !== null && typeof value === "string") {
      const problem = mediaProblem(value, media, this.#terms.mediaUrls);
      if (problem !== null) return this.#problem(owner, name, problem);
    }
    if (!member.known) this.#note(shape, name);
    if (inside === null || typeof value !== "object") return true;
    this.#way.push(name);
    if (!this.#stays(inside(), value)) this.#takeOut(owner, name);
    this.#way.pop();
    return true;
  }

  #stranger(shape: Shape, owner: Json, name: string): boolean {
    const known = likeOf(shape, name);
    if (known !== null) return this.#likeness({ shape, owner, name, known });
    const folded = fold(name);
    const row = shape.prefixes.find(([prefix]) => folded.startsWith(prefix));
    if (row !== undefined) return this.#refuse(owner, name, row[1]);
    if (!CACHE_NAMES.has(name)) this.#mark(name, owner[name], undefined);
    this.#note(shape, name);
    return true;
  }

  /**
   * It is left out, unless the request is not what its caller takes it for without it: where the member itself would be refused, or is
   * required and missing.
   */
  #likeness({ shape, owner, name, known }: { shape: Shape; owner: Json; name: string; known: string }): boolean {
    const value = owner[name];
    const member = shape.members.get(known);
    const refusal = member?.refusal?.alike ?? member?.refusal ?? null;
    const says = value !== null && !(Array.isArray(value) && value.length === 0);
    if (says && refusal !== null && isRefused(value, refusal)) return this.#refuse(owner, name, refusal);
    const missing = member?.absent.null === false && owner[known] === undefined;
    if (missing) return this.#problem(owner, name, `Field names are case-sensitive. Use '${known}'.`);
    return this.#leaveOut(owner, name);
  }

  /** Of every place the first. */
  #leaveOut(owner: Json, name: string): boolean {
    this.#takeOut(owner, name);
    const shown = harmless(name);
    const path = this.#pathTo(shown);
    if (this.#leftOut.length < MOST_UNKNOWN && !this.#leftOut.some((known) => known.path === path))
      this.#leftOut.push({ name, path, at: this.#at(shown) });
    return true;
  }

  /** Once for every kind of object: what is said of one message holds for all. */
  #note(shape: Shape, name: string): void {
    if (this.#unknown.length >= MOST_UNKNOWN) {
      this.#more = true;
      return;
    }
    let noted = this.#noted.get(shape);
    if (noted === undefined) this.#noted.set(shape, (noted = new Set()));
    if (noted.has(name)) return;
    noted.add(name);
    const shown = harmless(name);
    this.#unknown.push({ name, path: this.#pathTo(shown), at: this.#at(shown) });
  }

  /** Of every place the first, with the longest that is asked for there. */
  #mark(name: string, value: unknown, member: Member | undefined): void {
    const within = this.#way.findLast((step) => typeof step === "string") ?? null;
    const met = { name, member, within };
    const asks = isOfCache(met) ? askOf(met, value) : null;
    if (asks === null) return;
    const shown = harmless(name);
    const path = this.#pathTo(shown);
    const known = this.#marks.find((mark) => mark.path === path);
    const last = this.#marks.length < MOST_UNKNOWN ? undefined : this.#marks.at(-1);
    // Of more than are listed, the last stands for the rest.
    const same = known ?? last;
    if (same !== undefined) same.asks = longest([same.asks, asks]);
    else this.#marks.push({ name, path, at: this.#at(shown), asks, open: isOpen(member) });
  }

  #pathTo(name: string): string {
    return [...this.#way.map((step) => (typeof step === "number" ? "*" : step)), name].join(".");
  }

  /** What says of which kind an object is cannot be taken out alone. */
  #refuse(owner: Json, name: string, refusal: MemberRefusal): boolean {
    this.#problem(owner, name, wordsFor(owner[name], refusal), refusal);
    return name !== "type" && name !== "id";
  }

  #problem(owner: Json, name: string, words: string, { hint }: Pick<MemberRefusal, "hint"> = {}): boolean {
    if (this.#terms.refused === "taken out") this.#takeOut(owner, name);
    else {
      this.#fault = fieldFault(this.#at(name.slice(0, 64)), words, hint && { hint });
    }
    return true;
  }

  #takeOut(owner: Json, name: string): void {
    delete owner[name];
    this.#changed = true;
  }

  #at(name: string): string {
    return [...this.#way, name].join(".");
  }
}

/** Whether a member is refused whatever its value, which tells a caller more than the kind of the object that has it. */
function says(shape: Shape, owner: Json, name: string): boolean {
  return isUnconditional(shape.members.get(name)?.refusal) && owner[name] !== null;
}

/** A caller's own name goes into a header and a log line only when it is harmless there. */
export const harmless = (name: string): string => (/^[\w-]{1,64}$/.test(name) ? name : "unknown");
