import type { Model } from "../../../catalogue/model.ts";
import { fieldFault } from "../../../core/fault.ts";
import type { GenerationRequest } from "../../../wire/generation-request.ts";

const TOOL_MEMBERS: ReadonlySet<string> = new Set(["tools", "functions"]);
const NONE = /^(?:null|\[\s*\])$/;
const LONGEST_NONE = 64;

/** Refuses tools where the model is published as unable to call them; one that says nothing of tools is asked. [spec 4.3] */
export function checkTools(
  { members, bytes }: Pick<GenerationRequest, "members" | "bytes">,
  { id, capabilities }: Pick<Model, "id" | "capabilities">,
): void {
  if (capabilities["tools"] !== false) return;
  const sent = members.list.find(
    ({ name, valueStart, valueEnd }) =>
      TOOL_MEMBERS.has(name) &&
      !NONE.test(bytes.toString("latin1", valueStart, Math.min(valueEnd, valueStart + LONGEST_NONE))),
  );
  if (!sent) return;
  throw fieldFault(sent.name, `${id} doesn't support tools. Remove this field or use another model.`);
}
