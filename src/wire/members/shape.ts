import type { MediaKind } from "../../core/request/media-type.ts";
import type { MemberRefusal } from "./refusal.ts";

/** What the table says of one member of an object. */
export type Member = {
  /** The format names it, or its clients were seen to send it; what is not known may be dropped on the way to a provider. */
  known: boolean;
  /** What is as good as leaving it out: null, unless it is required or says something by being null; an empty list of a list. */
  absent: { null: boolean; empty: boolean };
  refusal: MemberRefusal | null;
  /** No provider is sent it, and no request is refused for it: what it asks for costs nothing, keeps nothing, and is not needed to answer. */
  dropped: boolean;
  /** Media that stands in it. */
  media: MemberMedia | null;
  /** What it holds. Null: whatever the caller puts there, as in a schema or in the input of a tool. */
  inside: (() => Shape) | null;
};

/**
 * `address`: of media that the provider fetches; `bytes`: media itself, or such an address. `holds`: what it is reserved for as; null:
 * as whatever the whole of a model can read.
 */
export type MemberMedia = { form: "address" | "bytes"; holds: MediaKind | null };

/** What is known of an object, or of each object in a list. */
export type Shape = {
  members: ReadonlyMap<string, Member>;
  /** Names as readers see them that do not mind case. */
  folded: ReadonlyMap<string, string>;
  /** Beginnings of names that are refused. */
  prefixes: readonly (readonly [prefix: string, refusal: MemberRefusal])[];
  /** An object that is refused for what it is as a whole: which of its members says so, and why. */
  whole: ((value: Readonly<Record<string, unknown>>) => readonly [name: string, refusal: MemberRefusal] | null) | null;
};

/** Names are separated by spaces. */
type ShapeRows = {
  required?: string;
  optional?: string;
  /** Optional ones that are lists. */
  lists?: string;
  inside?: Readonly<Record<string, () => Shape>>;
  /** A name that ends in `*` stands for all that begin so. What is only refused, or only looked into, is not known. */
  refused?: Readonly<Record<string, MemberRefusal>>;
  /** Those that a request is rid of. */
  dropped?: string;
  /** Of pictures, of documents, and of what is not known. */
  images?: string;
  documents?: string;
  addresses?: string;
  /** Of documents. */
  bytes?: string;
  whole?: Shape["whole"];
};

export function shapeOf(rows: ShapeRows): Shape {
  const { inside = {}, refused = {} } = rows;
  const [required, optional, lists] = [words(rows.required), words(rows.optional), words(rows.lists)];
  const dropped = words(rows.dropped);
  const media = new Map<string, MemberMedia>([
    ...words(rows.images).map((name) => [name, { form: "address", holds: "image" }] as const),
    ...words(rows.documents).map((name) => [name, { form: "address", holds: "document" }] as const),
    ...words(rows.addresses).map((name) => [name, { form: "address", holds: null }] as const),
    ...words(rows.bytes).map((name) => [name, { form: "bytes", holds: "document" }] as const),
  ]);
  const exact = Object.keys(refused).filter((name) => !name.endsWith("*"));
  const names = new Set([
    ...required,
    ...optional,
    ...lists,
    ...media.keys(),
    ...Object.keys(inside),
    ...exact,
    ...dropped,
  ]);
  const members = new Map<string, Member>();
  for (const name of names) {
    members.set(name, {
      known: required.includes(name) || optional.includes(name) || lists.includes(name),
      absent: {
        null: !required.includes(name),
        empty:
          !required.includes(name) &&
          (lists.includes(name) || dropped.includes(name) || isUnconditional(refused[name])),
      },
      refusal: refused[name] ?? null,
      dropped: dropped.includes(name),
      media: media.get(name) ?? null,
      inside: inside[name] ?? null,
    });
  }
  return {
    members,
    folded: new Map([...names].map((name) => [fold(name), name])),
    prefixes: Object.entries(refused)
      .filter(([name]) => name.endsWith("*"))
      .map(([name, refusal]) => [name.slice(0, -1), refusal]),
    whole: rows.whole ?? null,
  };
}

/** One way to write a name for all that differ by case alone. Readers in Go hold the Kelvin sign and the long s to be letters too. */
export const fold = (name: string): string => name.toUpperCase().toLowerCase();

/** Refused whatever its value. */
export const isUnconditional = (refusal: MemberRefusal | null = null): boolean =>
  refusal !== null && refusal.unless === undefined && refusal.when === undefined;

const words = (text = ""): string[] => text.split(/\s+/).filter((word) => word !== "");
