import type { ProviderDialect } from "../../core/request/dialect.ts";
import type { OpenSeal } from "../form/native.ts";

/**
 * What becomes of a field on its way to a provider of another format: said in the same terms, said in that format's terms, lost,
 * or a reason to refuse the request, since an answer to what is left of it would be an answer to something else.
 */
export type Fate = "kept" | "translated" | "lost" | "refused";

/** Which values of a field are meant, in words and in code. */
export type Condition = { words: string; when: Test };

type Test = (value: unknown, owner: Record<string, unknown>, to: Recipient) => boolean;

/**
 * Whom a request is for: providers of a format, by what they call the model, and what it can do; and the whole of the request,
 * with what opens its seals. Of several models what any of them loses is lost.
 */
export type Recipient = {
  provider: ProviderDialect;
  models: readonly string[];
  body: Record<string, unknown>;
  open: OpenSeal;
} & ModelFacts;
export type ModelFacts = { reasoning: boolean };

/** A field of a client format at providers of one other. A row with a condition speaks of the values that meet it, and only of those. */
export type FieldRow = {
  /** `*` stands for every element of a list. */
  path: string;
  /** The same, step by step. */
  steps: readonly string[];
  fate: Fate;
  only?: Condition;
  /** How it is translated, or why it cannot be. */
  note?: string;
  at?: Places;
};

/** Of which provider formats it speaks, where these differ: all but one, or one alone. */
type Places = { except: ProviderDialect } | { alone: ProviderDialect };

/** Values of a field that fare worse than the others. */
export type Exception = { fate: "lost" | "refused"; only: Condition; note?: string; at?: Places };

export const isAt = ({ at }: Pick<FieldRow, "at">, provider: ProviderDialect): boolean =>
  at === undefined || ("alone" in at ? at.alone === provider : at.except !== provider);

export const lost = (only: Condition, note?: string): Exception => ({ fate: "lost", only, ...(note && { note }) });
export const refused = (only: Condition, note?: string): Exception => ({
  fate: "refused",
  only,
  ...(note && { note }),
});

/**
 * The fields of one client format, in the order in which losses are named. `carried`: the form has it, and every provider's format
 * says what becomes of it. What stands here besides is lost or refused on the way to the form, and so at all of them.
 */
export type ClientFields = Readonly<
  Record<string, "carried" | "lost" | Exceptions | readonly ["carried", ...Exceptions]>
>;

type Exceptions = readonly [Exception, ...Exception[]];

/** The fields that a provider's format must answer for. */
type Carried<Fields> = {
  [Path in keyof Fields]: Fields[Path] extends "carried" | readonly ["carried", ...unknown[]] ? Path : never;
}[keyof Fields];

/** What becomes of each field of a client format at providers of another. A field without an answer does not compile. */
export type Answers<Fields extends ClientFields> = { readonly [Path in Carried<Fields>]: Answer };

/** What becomes of a field; then the values of it that fare otherwise. */
type Answer = Outcome | readonly [Outcome, ...Exceptions];
type Outcome = Fate | { fate: Fate; note: string };

/** What the client format says of its fields and what the provider's answers, as one table. */
export function rowsOf<Fields extends ClientFields>(fields: Fields, answers: Answers<Fields>): readonly FieldRow[] {
  const answered: Readonly<Record<string, Answer>> = answers;
  return Object.entries(fields).flatMap(([path, own]) => {
    const steps = path.split(".");
    if (own === "lost") return [{ path, steps, fate: own }];
    const answer = answered[path];
    const outcomes = [...(answer === undefined ? [] : listOf(answer)), ...(own === "carried" ? [] : own)];
    return outcomes.flatMap((outcome): FieldRow[] => {
      if (outcome === "carried") return [];
      return [{ path, steps, ...(typeof outcome === "string" ? { fate: outcome } : outcome) }];
    });
  });
}

const listOf = (answer: Answer): readonly (Outcome | Exception)[] =>
  typeof answer === "string" || "fate" in answer ? [answer] : answer;
