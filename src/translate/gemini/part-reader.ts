import type { AnswerEvent } from "../form/answer-form.ts";
import { createBlockNumbers } from "../form/block-numbers.ts";
import type { Json } from "../../core/bytes/json.ts";
import { objectOf, objectOrNull, objectsOf, textOf, textOrNull } from "../form/read-json.ts";
import type { Citation } from "../form/citation.ts";
import type { ThoughtSeal } from "./thought-seal.ts";
import { PartialArgs } from "./partial-args.ts";

/** What is not a call; one of these is open at a time, for this dialect does not say where one ends. */
type Prose = "text" | "refusal" | "thinking";

export type PartReader = {
  /** Null: they are none that a model can have meant. */
  read: (parts: unknown) => AnswerEvent[] | null;
  /** `words`: what a provider says of having refused. `sources`: what its model has found, which all that it said last rests on. */
  close: (words: string | null, sources: readonly Citation[]) => AnswerEvent[];
};

/** The parts of one answer, as they come, as blocks. */
// oxlint-disable-next-line max-lines-per-function -- short functions over the state of one answer.
export function createPartReader(): PartReader {
  const blocks = createBlockNumbers<Prose | "call">();
  /** Of the call that is not whole yet. */
  let args: PartialArgs | null = null;
  let open: Prose | null = null;

  /** Thoughts that nothing is signed for are told for whose they are, so that they can be shown to it again. */
  function stopProse(value: ThoughtSeal = { part: "thought" }): AnswerEvent[] {
    if (open === null) return [];
    const sealed = open === "thinking" ? blocks.seal(open, { dialect: "gemini", value }) : [];
    const stopped = blocks.stop(open);
    open = null;
    return [...sealed, ...stopped];
  }

  function startProse(kind: Prose): AnswerEvent[] {
    if (open === kind) return [];
    const before = [...finishCall(), ...stopProse()];
    open = kind;
    return [...before, ...blocks.start(kind, { kind })];
  }

  /** A signature belongs to a part, and is carried by the thinking before it, of which there may be nothing to read. */
  function sign(signature: string, part: ThoughtSeal["part"]): AnswerEvent[] {
    return [...startProse("thinking"), ...stopProse({ signature, part })];
  }

  /**
   * A signature that comes after the words it is for is left out: it is not wanted back, and a client that shows the last block of
   * an answer would show nothing.
   */
  function prose({ text, thought, thoughtSignature }: Json): AnswerEvent[] {
    if (text === "") return [];
    const kind = thought === true ? "thinking" : "text";
    const signature = thought === true || open === "text" ? null : textOrNull(thoughtSignature);
    const signed = signature === null ? [] : sign(signature, "text");
    return [...signed, ...startProse(kind), ...blocks.grow(kind, text)];
  }

  function finishCall(): AnswerEvent[] {
    if (args === null) return [];
    const whole = args.text();
    args = null;
    return [...blocks.grow("call", whole), ...blocks.stop("call")];
  }

  /** Those who tell a call in pieces name it in the first. One that says nothing at all ends the call before it. */
  function call(given: Json, thoughtSignature: unknown): AnswerEvent[] | null {
    const { name, id, args: whole, partialArgs, willContinue } = given;
    if (name === undefined && args === null) return Object.keys(given).length === 0 ? [] : null;
    const begun = name === undefined ? [] : begin({ id, name, signature: textOrNull(thoughtSignature) });
    args ??= new PartialArgs();
    if (objectOrNull(whole)) args = new PartialArgs(objectOf(whole));
    if (!args.add(partialArgs)) return null;
    return willContinue === true ? begun : [...begun, ...finishCall()];
  }

  function begin({ id, name, signature }: { id: unknown; name: unknown; signature: string | null }): AnswerEvent[] {
    return [
      ...finishCall(),
      ...(signature === null ? stopProse() : sign(signature, "call")),
      ...blocks.start("call", { kind: "tool_call", id: textOf(id), name: textOf(name) }),
    ];
  }

  function read(part: Json): AnswerEvent[] | null {
    const { functionCall } = part;
    if (functionCall !== undefined) return call(objectOf(functionCall), part["thoughtSignature"]);
    return typeof part["text"] === "string" ? prose(part) : [];
  }

  return {
    read: (parts) => {
      const events: AnswerEvent[] = [];
      for (const part of objectsOf(parts)) {
        const told = read(part);
        if (told === null) return null;
        for (const event of told) events.push(event);
      }
      return events;
    },
    close: (words, sources) => [
      ...finishCall(),
      ...blocks.cite("text", sources),
      ...(words === null || words === "" ? [] : [...startProse("refusal"), ...blocks.grow("refusal", words)]),
      ...stopProse(),
      ...blocks.stopAll(),
    ],
  };
}
