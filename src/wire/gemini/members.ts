import { leaf } from "../members/foreign-shapes.ts";
import {
  CACHED_CONTENT,
  CODE,
  FILE,
  FOREIGN,
  REMOTE_TOOL,
  RETRIES,
  SEARCH,
  unpriced,
  unsupported,
  VECTOR_STORE,
} from "../members/refusal.ts";
import { type Shape, shapeOf } from "../members/shape.ts";

const BLOB = leaf("mimeType data displayName");

const PART = shapeOf({
  optional: "text thought thoughtSignature inlineData functionCall functionResponse",
  inside: {
    inlineData: BLOB,
    functionCall: leaf("id name args"),
    functionResponse: leaf("id name response"),
  },
  refused: {
    fileData: FILE,
    toolCall: REMOTE_TOOL,
    toolResponse: REMOTE_TOOL,
    executableCode: CODE,
    codeExecutionResult: CODE,
  },
});

const CONTENT = shapeOf({ required: "parts", optional: "role", inside: { parts: () => PART } });

/** But for searches, tools other than the caller's own are run by the provider at a price and with powers we do not know. */
const TOOL = shapeOf({
  optional: "googleSearch",
  lists: "functionDeclarations",
  inside: { functionDeclarations: leaf("name description parametersJsonSchema") },
  refused: {
    googleSearchRetrieval: SEARCH,
    googleMaps: SEARCH,
    codeExecution: CODE,
    urlContext: REMOTE_TOOL,
    computerUse: REMOTE_TOOL,
    fileSearch: VECTOR_STORE,
    mcpServers: REMOTE_TOOL,
  },
});

const GENERATION_CONFIG = shapeOf({
  optional: `maxOutputTokens temperature topP responseMimeType responseJsonSchema thinkingConfig`,
  lists: "stopSequences",
  inside: { thinkingConfig: leaf("includeThoughts thinkingBudget thinkingLevel") },
});

/** What a request for content may hold. No caller speaks this format, so that only what is written here is known. */
export const GEMINI_MEMBERS: Shape = shapeOf({
  required: "contents",
  optional: "systemInstruction toolConfig generationConfig",
  lists: "tools",
  inside: {
    contents: () => CONTENT,
    systemInstruction: () => CONTENT,
    tools: () => TOOL,
    toolConfig: leaf("functionCallingConfig"),
    generationConfig: () => GENERATION_CONFIG,
  },
  dropped: RETRIES,
  refused: {
    ...FOREIGN,
    cachedContent: CACHED_CONTENT,
    serviceTier: unpriced("A choice of service tier"),
    store: unsupported("Stored responses"),
    continuationToken: unsupported("Stored responses"),
  },
});
