import type { AnswerEvent } from "../form/answer-form.ts";
import { createBlockNumbers } from "../form/block-numbers.ts";
import type { Json } from "../../core/bytes/json.ts";
import { objectOf, textOf, textOrNull } from "../form/read-json.ts";

type Kind = "text" | "thinking" | "tool_call";

/** Blocks of one answer, by the number that their provider has for them. */
export type BlockReader = {
  start: (number: number, start: Json) => AnswerEvent[];
  grow: (number: number, delta: Json) => AnswerEvent[];
  stop: (number: number) => AnswerEvent[];
  stopAll: () => AnswerEvent[];
};

/** Text and thinking begin with their first words; only a call is announced. */
export function createBlockReader(): BlockReader {
  const blocks = createBlockNumbers<number>();
  const kinds = new Map<number, Kind>();
  /** What was said so far that goes back with thinking: it may come in pieces, of which each is encoded by itself. */
  const proofs = new Map<number, { signature: string; redacted: Buffer[] }>();

  /** The block of this number, which is begun if it is of another kind. */
  function begun(number: number, kind: "text" | "thinking"): AnswerEvent[] {
    if (blocks.has(number) && kinds.get(number) === kind) return [];
    kinds.set(number, kind);
    proofs.delete(number);
    return blocks.start(number, { kind });
  }

  function thought(number: number, { text, signature, redactedContent }: Json): AnswerEvent[] {
    const started = begun(number, "thinking");
    const proof = proofs.get(number) ?? { signature: "", redacted: [] };
    proofs.set(number, proof);
    proof.signature += textOf(signature);
    if (typeof redactedContent === "string") proof.redacted.push(Buffer.from(redactedContent, "base64"));
    return [...started, ...blocks.grow(number, text)];
  }

  /** Told once, when all of it is there. */
  function sealed(number: number): AnswerEvent[] {
    const proof = proofs.get(number);
    proofs.delete(number);
    if (proof === undefined || kinds.get(number) !== "thinking") return [];
    if (proof.redacted.length > 0) {
      const redacted = Buffer.concat(proof.redacted).toString("base64");
      return blocks.seal(number, { dialect: "converse", value: { redacted } });
    }
    if (proof.signature === "") return [];
    return blocks.seal(number, { dialect: "converse", value: { signature: proof.signature } });
  }

  const stop = (number: number): AnswerEvent[] => [...sealed(number), ...blocks.stop(number)];

  return {
    start: (number, { toolUse }) => {
      const { toolUseId: id, name, type } = objectOf(toolUse);
      // Tools that the provider runs are never asked for.
      if (toolUse === undefined || type === "server_tool_use") return [];
      const before = stop(number);
      kinds.set(number, "tool_call");
      return [...before, ...blocks.start(number, { kind: "tool_call", id: textOf(id), name: textOf(name) })];
    },
    grow: (number, { text, toolUse, reasoningContent }) => {
      const words = textOrNull(text);
      if (words !== null) return [...(words === "" ? [] : spoken(number)), ...blocks.grow(number, words)];
      if (reasoningContent !== undefined) return thought(number, objectOf(reasoningContent));
      return kinds.get(number) === "tool_call" ? blocks.grow(number, objectOf(toolUse)["input"]) : [];
    },
    stop,
    stopAll: () => blocks.names().flatMap((number) => stop(number)),
  };

  function spoken(number: number): AnswerEvent[] {
    const isOther = blocks.has(number) && kinds.get(number) !== "text";
    return [...(isOther ? stop(number) : []), ...begun(number, "text")];
  }
}
