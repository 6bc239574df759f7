import type { Json } from "../../core/bytes/json.ts";
import { hasWords } from "../form/build-form.ts";
import { heldSchema } from "../form/claude/schema.ts";
import { takesSampling } from "../form/claude/thinking.ts";
import { said } from "../form/read-json.ts";
import type { OutputFormat, RequestForm, TextBlock } from "../form/request-form.ts";
import type { ProviderTold } from "../form/sides.ts";
import { boundCachePoints, cachePointOf } from "./cache-points.ts";
import { messagesOf } from "./contents.ts";
import { cachesTurns, isClaude, takesSchema } from "./models.ts";
import { modelFieldsOf } from "./thinking.ts";
import { toolConfigOf } from "./tools.ts";

/** This dialect's range of temperature ends where others' middle is. */
const MOST_TEMPERATURE = 1;

/** Without a limit Amazon takes the most that a model gives. None that thinks by a budget, which must be within it, gives less. */
const USUAL_MOST_TOKENS = 32_000;

/** Where an answer says which sequence it ended at. A model that does not say is not asked twice: such a path is ignored. */
const MATCHED_SEQUENCE = ["/stop_sequence", "/delta/stop_sequence"];

/** The model, and whether the answer is streamed, stand in the path. */
export function formToConverse(form: RequestForm, { model, maxOutputTokens }: ProviderTold): Json {
  const fields = modelFieldsOf(form, { model, maxTokens: maxOutputTokens ?? USUAL_MOST_TOKENS });
  const stop = form.stop.filter((sequence) => hasWords(sequence));
  const config = said({
    maxTokens: maxOutputTokens,
    ...samplingOf(form, { model, isThinking: fields?.["thinking"] !== undefined }),
    stopSequences: stop.length === 0 ? null : stop,
  });
  const system = form.system.flatMap((block) => systemParts(block, model));
  const messages = messagesOf(form.turns, model);
  const toolConfig = toolConfigOf(form, model);
  boundCachePoints([toolConfig?.tools ?? [], system, ...messages.map(({ content }) => content)]);
  const format = takesSchema(model) ? formatOf(form.outputFormat) : null;
  return said({
    system: system.length === 0 ? null : system,
    messages,
    inferenceConfig: Object.keys(config).length === 0 ? null : config,
    toolConfig: toolConfig && said(toolConfig),
    outputConfig: format && { textFormat: format },
    additionalModelRequestFields: fields,
    additionalModelResponseFieldPaths: stop.length === 0 ? null : MATCHED_SEQUENCE,
  });
}

const systemParts = ({ text, cacheHint }: TextBlock, model: string): Json[] =>
  hasWords(text) ? [{ text }, ...(cachesTurns(model) ? cachePointOf(cacheHint, model) : [])] : [];

/** Claude takes no sampling while it thinks, the newest none at all, and the others one of the two. */
function samplingOf(
  { temperature, topP }: RequestForm,
  { model, isThinking }: { model: string; isThinking: boolean },
): Json {
  const bounded = temperature === null ? null : Math.min(temperature, MOST_TEMPERATURE);
  if (!isClaude(model)) return { temperature: bounded, topP };
  if (isThinking || !takesSampling(model)) return {};
  return { temperature: bounded, topP: bounded === null ? topP : null };
}

function formatOf(format: OutputFormat | null): Json | null {
  if (format?.kind !== "schema") return null;
  const { name, description, schema } = format;
  const jsonSchema = said({ schema: JSON.stringify(heldSchema(schema).schema), name, description });
  return { type: "json_schema", structure: { jsonSchema } };
}
