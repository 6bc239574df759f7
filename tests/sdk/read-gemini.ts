import type { Understood } from "./read-with-sdk.ts";

type Partial = { jsonPath: string; stringValue?: string; numberValue?: number; boolValue?: boolean };
type Call = { id?: string; name?: string; args?: object; partialArgs?: Partial[]; willContinue?: boolean };
type Chunk = { candidates?: { content?: { parts?: { text?: string; thought?: boolean; functionCall?: Call }[] } }[] };

/**
 * What the chunks of a recorded answer say. Google's own client hands them on as they come, and leaves it to its callers to put
 * the pieces of a call together. Written apart from the product, to be held against it.
 */
export function understoodGemini(values: readonly unknown[]): Understood {
  const parts = (values as Chunk[]).flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  const calls: Understood["calls"] = [];
  for (const { functionCall: call } of parts) {
    if (call?.name !== undefined) calls.push({ id: call.id ?? "", name: call.name, input: call.args ?? {} });
    for (const partial of call?.partialArgs ?? []) place(calls.at(-1)?.input, partial);
  }
  return {
    text: parts.map(({ text = "", thought }) => (thought === true ? "" : text)).join(""),
    refusal: "",
    calls,
  };
}

function place(root: unknown, { jsonPath, stringValue, numberValue, boolValue }: Partial): void {
  const steps = jsonPath.split(/[.[\]]+/).filter((step) => step !== "" && step !== "$");
  const last = steps.pop() ?? "";
  let at = root as Record<string, unknown>;
  for (const [index, step] of steps.entries()) {
    at[step] ??= /^\d+$/.test(steps[index + 1] ?? last) ? [] : {};
    at = at[step] as Record<string, unknown>;
  }
  at[last] =
    stringValue === undefined ? (numberValue ?? boolValue) : `${(at[last] as string | undefined) ?? ""}${stringValue}`;
}
