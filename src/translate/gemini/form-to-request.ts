import { plainText } from "../form/build-form.ts";
import type { Json } from "../../core/bytes/json.ts";
import { said } from "../form/read-json.ts";
import type { OutputFormat, RequestForm, ToolChoice, ToolForm } from "../form/request-form.ts";
import type { ProviderTold } from "../form/sides.ts";
import { toolSchema } from "../form/tools/tool-schema.ts";
import { contentsOf } from "./contents.ts";
import { heldSchema } from "./schema.ts";
import { holdsBesideTools, thinkingFor } from "./thinking.ts";

/** The most sequences a provider of this dialect takes. */
export const MOST_GEMINI_STOPS = 5;

/** The model, and whether the answer is streamed, stand in the path. */
export function formToGemini(form: RequestForm, { model, maxOutputTokens }: ProviderTold): Json {
  const system = plainText(form.system, "\n\n");
  const stop = form.stop.filter((sequence) => sequence !== "").slice(0, MOST_GEMINI_STOPS);
  const config = said({
    maxOutputTokens,
    temperature: form.temperature,
    topP: form.topP,
    stopSequences: stop.length === 0 ? null : stop,
    ...formatOf(form, model),
    thinkingConfig: thinkingFor(form, { model, maxOutputTokens }),
  });
  return said({
    systemInstruction: system === "" ? null : { parts: [{ text: system }] },
    contents: contentsOf(form.turns, model),
    ...toolsOf(form),
    generationConfig: Object.keys(config).length === 0 ? null : config,
  });
}

function toolsOf({ tools, toolChoice, search }: RequestForm): Json {
  // A model is offered one kind of them alone.
  if (search) return { tools: [{ googleSearch: {} }] };
  if (tools.length === 0) return {};
  const config = choiceOf(toolChoice);
  return {
    tools: [{ functionDeclarations: tools.map((tool) => declarationOf(tool)) }],
    toolConfig: config && { functionCallingConfig: config },
  };
}

const declarationOf = ({ name, description, schema }: ToolForm): Json =>
  said({ name, description, parametersJsonSchema: heldSchema(toolSchema(schema)).schema });

function choiceOf(choice: ToolChoice | null): Json | null {
  switch (choice?.kind) {
    case undefined:
      return null;
    case "auto":
      return { mode: "AUTO" };
    case "none":
      return { mode: "NONE" };
    case "required":
      return { mode: "ANY" };
    case "tool":
      return { mode: "ANY", allowedFunctionNames: [choice.name] };
    default:
      return choice satisfies never;
  }
}

function formatOf({ outputFormat, tools, search }: RequestForm, model: string): Json {
  if (outputFormat === null || ((tools.length > 0 || search) && !holdsBesideTools(model))) return {};
  return {
    responseMimeType: "application/json",
    ...(outputFormat.kind === "schema" ? { responseJsonSchema: schemaOf(outputFormat) } : {}),
  };
}

function schemaOf({ schema, description }: Extract<OutputFormat, { kind: "schema" }>): Json {
  const { schema: held } = heldSchema(schema);
  return description === null || "$ref" in held ? held : { description, ...held };
}
