import { isObject } from "../../core/bytes/is-object.ts";

/** Why an answer is no vector for one input, in words; null: it is one. */
export function embeddingsProblem(text: string): string | null {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return "the answer is no JSON";
  }
  const data = isObject(answer) ? answer["data"] : undefined;
  const [first, ...others] = Array.isArray(data) ? (data as unknown[]) : [];
  const vector = isObject(first) ? first["embedding"] : undefined;
  const isVector = typeof vector === "string" ? vector !== "" : Array.isArray(vector) && vector.length > 0;
  return isVector && others.length === 0 ? null : "the answer has no embedding for the one input";
}
