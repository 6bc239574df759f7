import { isObject } from "../../core/bytes/is-object.ts";
import type { Block } from "../plan/block.ts";
import type { Generation, JsonObject } from "../dialect.ts";
import { blocksOf } from "../plan/generation.ts";
import { seal, unseal } from "../plan/proof.ts";
import { invalid } from "../ask/refusal.ts";

/** What Google takes in the place of a signature for calls that another model made. */
const UNCHECKED = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

/** Where a signature stands: with the first call of a step, or with the last words of an answer without calls. */
type Place = "call" | "text";

/** Null where nothing was thought, and where the answer ended before the place. */
export function signatureOf(generation: Generation, place: Place): string | null {
  const blocks = blocksOf(generation);
  const calls = blocks.some(({ kind }) => kind === "call");
  if (!blocks.some(({ kind }) => kind === "thinking") || calls !== (place === "call")) return null;
  return seal("thought", `${generation.id}:${place}`);
}

/** Says whether thoughts led to it, so that a signature that is missing can be noticed without memory. */
export function callIdOf(generation: Generation, { number }: Extract<Block, { kind: "call" }>): string {
  const thought = number === 0 && signatureOf(generation, "call") !== null;
  return `${thought ? "fct" : "fc"}_${generation.id}_${number}`;
}

/** Refuses signatures that were not given here or stand elsewhere, and calls of the current turn that came with one and have none. */
export function checkSignatures(contents: readonly JsonObject[]): void {
  const turn = contents.findLastIndex(
    (content) => content["role"] !== "model" && partsOf(content).some(({ text }) => text !== undefined),
  );
  for (const [index, content] of contents.entries()) {
    if (content["role"] !== "model") continue;
    for (const [place, part] of partsOf(content).entries()) {
      const { thoughtSignature: signature, functionCall: call } = part;
      const id = isObject(call) ? String(call["id"]) : null;
      if (signature !== undefined) checkSignature(signature, id);
      else if (index > turn && id?.startsWith("fct_"))
        throw invalid(
          `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${isObject(call) ? String(call["name"]) : ""}\` , position ${place + 1}.`,
        );
    }
  }
}

function checkSignature(signature: unknown, callId: string | null): void {
  if (UNCHECKED.includes(String(signature))) return;
  const [generation, place] = unseal("thought", signature)?.split(":") ?? [];
  const rightPlace = place === (callId === null ? "text" : "call");
  const rightCall = !callId?.startsWith("fct_") || callId === `fct_${generation}_0`;
  if (!rightPlace || !rightCall) throw invalid("Corrupted thought signature.");
}

const partsOf = ({ parts }: JsonObject): JsonObject[] =>
  Array.isArray(parts) ? parts.filter((part) => isObject(part)) : [];
