import { isObject } from "../core/bytes/is-object.ts";

/** Whether a text was said, or thought on the way to it. */
export type GeneratedKind = "said" | "thought";

/**
 * What is known of a member of an answer. `free`: why it does not count. `inside`: it is looked into by a table of its own. `once`: members of
 * the same name here say the same, and the longest counts.
 */
type Member =
  | { readonly free: string }
  | { readonly free?: never; readonly kind?: GeneratedKind; readonly inside?: OutputMembers; readonly once?: string };
export type OutputMembers = Readonly<Record<string, Member>>;

/** Written by the model; a thought where it stands in one. */
export const SAID: Member = {};
export const THOUGHT: Member = { kind: "thought" };

/** Why a member does not count. */
export const WHY = {
  envelope: "It names the answer or its form. No model writes it.",
  apart: "It is read by itself.",
  echo: "It repeats the request.",
  repeat: "It repeats what stands beside it.",
  counts: "It counts tokens or tells their price.",
  padding: "It hides the length of the text.",
  opaque: "It cannot be read. Its tokens are estimated by the clock.",
  read: "The provider's tools wrote it, or it is cited: the model reads it as input.",
  beside: "It tells the probabilities of a text that stands beside it.",
  media: "Sound and pictures have tokens of their own kind.",
} as const;

/** OutputMembers that do not count, for one reason. */
export const free = (why: string, ...names: string[]): OutputMembers =>
  Object.fromEntries(names.map((name) => [name, { free: why }]));

/** All of what the model wrote in one place. */
export type GeneratedTexts = { said: string; thought: string };

/** A member in no table counts: whoever adds one to a format does not ask us first. */
const UNKNOWN: Member = {};

/** What the model wrote in this value, by a table of its members. */
export function collectGenerated(value: unknown, members: OutputMembers, kind: GeneratedKind = "said"): GeneratedTexts {
  const found = { said: "", thought: "" };
  collect(value, members, found, kind);
  return found;
}

function collect(value: unknown, members: OutputMembers, found: GeneratedTexts, kind: GeneratedKind): void {
  if (Array.isArray(value)) {
    for (const item of value)
      if (isObject(item)) collect(item, members, found, kind);
      else found[kind] += textOf(item);
    return;
  }
  if (!isObject(value)) {
    found[kind] += textOf(value);
    return;
  }
  let alternatives: Map<string, GeneratedTexts> | null = null;
  for (const name of Object.keys(value)) {
    const member = Object.hasOwn(members, name) ? (members[name] ?? UNKNOWN) : UNKNOWN;
    if (member.free !== undefined) continue;
    if (member.once === undefined) {
      add(value[name], member, found, kind);
      continue;
    }
    const one = { said: "", thought: "" };
    add(value[name], member, one, kind);
    alternatives ??= new Map();
    const other = alternatives.get(member.once);
    if (other === undefined || lengthOf(one) > lengthOf(other)) alternatives.set(member.once, one);
  }
  for (const { said, thought } of alternatives?.values() ?? []) {
    found.said += said;
    found.thought += thought;
  }
}

const lengthOf = ({ said, thought }: GeneratedTexts): number => said.length + thought.length;

function add(
  value: unknown,
  member: Exclude<Member, { readonly free: string }>,
  found: GeneratedTexts,
  kind: GeneratedKind,
): void {
  const inner = member.kind ?? kind;
  if (member.inside === undefined) found[inner] += textOf(value);
  else collect(value, member.inside, found, inner);
}

/** As the model wrote it: what has a form was written as JSON, and nothing was written for what is empty. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return "";
  return (Array.isArray(value) ? value.length : Object.keys(value).length) === 0 ? "" : JSON.stringify(value);
}
