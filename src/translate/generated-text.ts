import { isObject } from "../core/is-object.ts";

/** Where the three formats carry what a model generated. */
const GENERATED: ReadonlySet<string> = new Set([
  "content",
  "text",
  "arguments",
  "thinking",
  "reasoning",
  "reasoning_content",
  "refusal",
]);

/**
 * The text of a whole answer without the form around it, for an answer that came without its usage. What a tool is called with
 * is an object in one of the formats; it was generated as JSON, so it counts as that.
 */
export function generatedText(answer: unknown): string {
  const texts: string[] = [];
  collect(answer, texts);
  return texts.join("\n");
}

function collect(value: unknown, texts: string[]): void {
  if (Array.isArray(value)) for (const item of value) collect(item, texts);
  if (!isObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === "string") {
      if (GENERATED.has(name)) texts.push(inner);
    } else if (name === "input" && isObject(inner)) texts.push(JSON.stringify(inner));
    else collect(inner, texts);
  }
}
