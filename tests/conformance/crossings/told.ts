import type { Provider } from "./crossing-client.ts";

type Json = Record<string, unknown>;

/** What a provider was told, read from a request of its own dialect into no dialect's words. */
export type Told = {
  limitTokens: unknown;
  /** Base64. */
  pictures: string[];
  documents: string[];
  tools: unknown[];
  calls: { id: unknown; name: unknown }[];
  results: { id: unknown; text: unknown }[];
  /** What came back of the provider's own thoughts: the text, and what proves it. */
  thoughts: { text: unknown; proof: unknown }[];
  /** Thoughts were asked for, in a way that they can be given back. */
  thinks: boolean;
  effort: unknown;
  schema: unknown;
  stop: unknown;
};

/** Written from the providers' documentation, and not from the code that is tested. */
export const TOLD: Record<Provider, (body: Json) => Told> = {
  chat: (body) => {
    const messages = listOf(body["messages"]);
    const parts = messages.flatMap(({ content }) => listOf(content));
    return {
      limitTokens: body["max_tokens"],
      pictures: parts.filter(typed("image_url")).map((part) => dataOf(at(part, "image_url", "url"), "image/png")),
      documents: parts.filter(typed("file")).map((part) => dataOf(at(part, "file", "file_data"), "application/pdf")),
      tools: listOf(body["tools"]).map((tool) => at(tool, "function", "name")),
      calls: messages.flatMap((message) =>
        listOf(message["tool_calls"]).map((call) => ({ id: call["id"], name: at(call, "function", "name") })),
      ),
      results: messages
        .filter(({ role }) => role === "tool")
        .map(({ tool_call_id: id, content }) => ({ id, text: content })),
      thoughts: messages
        .filter(({ role }) => role === "assistant")
        .flatMap(({ reasoning_content: content, reasoning: text = content ?? null, reasoning_details: details }) => {
          const proof = listOf(details).map(({ signature, data }) => signature ?? data)[0] ?? null;
          return text === null && proof === null ? [] : [{ text, proof }];
        }),
      thinks: body["reasoning_effort"] !== undefined,
      effort: body["reasoning_effort"],
      schema: at(body, "response_format", "json_schema", "schema"),
      stop: body["stop"] === undefined ? undefined : [body["stop"]].flat(),
    };
  },
  responses: (body) => {
    const items = listOf(body["input"]);
    const parts = items.flatMap(({ content }) => listOf(content));
    return {
      limitTokens: body["max_output_tokens"],
      pictures: parts.filter(typed("input_image")).map((part) => dataOf(part["image_url"], "image/png")),
      documents: parts.filter(typed("input_file")).map((part) => dataOf(part["file_data"], "application/pdf")),
      tools: listOf(body["tools"]).map(({ name }) => name),
      calls: items.filter(typed("function_call")).map(({ call_id: id, name }) => ({ id, name })),
      results: items.filter(typed("function_call_output")).map(({ call_id: id, output: text }) => ({ id, text })),
      thoughts: items.filter(typed("reasoning")).map(({ summary, encrypted_content: proof = null }) => ({
        text: listOf(summary)[0]?.["text"] ?? null,
        proof,
      })),
      thinks: JSON.stringify(body["include"]) === '["reasoning.encrypted_content"]' && body["store"] === false,
      effort: at(body, "reasoning", "effort"),
      schema: at(body, "text", "format", "schema"),
      stop: undefined,
    };
  },
  messages: (body) => {
    const blocks = listOf(body["messages"]).flatMap(({ content }) => listOf(content));
    const bytes = (kind: string, mediaType: string) =>
      blocks
        .filter(typed(kind))
        .map(({ source }) => (at(source, "media_type") === mediaType ? String(at(source, "data")) : "?"));
    return {
      limitTokens: body["max_tokens"],
      pictures: bytes("image", "image/png"),
      documents: bytes("document", "application/pdf"),
      tools: listOf(body["tools"]).map(({ name }) => name),
      calls: blocks.filter(typed("tool_use")).map(({ id, name }) => ({ id, name })),
      results: blocks
        .filter(typed("tool_result"))
        .map(({ tool_use_id: id, content }) => ({ id, text: wordsOf(content) })),
      thoughts: blocks.flatMap(({ type, thinking: text, signature, data }) => {
        if (type === "thinking") return [{ text, proof: signature }];
        return type === "redacted_thinking" ? [{ text: null, proof: data }] : [];
      }),
      thinks: at(body, "thinking", "type") === "adaptive",
      effort: at(body, "output_config", "effort"),
      schema: at(body, "output_config", "format", "schema"),
      stop: body["stop_sequences"],
    };
  },
  gemini: (body) => {
    const contents = listOf(body["contents"]);
    const parts = contents.flatMap((content) => listOf(content["parts"]));
    const bytes = (mimeType: string) =>
      parts
        .filter(({ inlineData }) => at(inlineData, "mimeType") === mimeType)
        .map(({ inlineData }) => String(at(inlineData, "data")));
    const level = at(body, "generationConfig", "thinkingConfig", "thinkingLevel");
    return {
      limitTokens: at(body, "generationConfig", "maxOutputTokens"),
      pictures: bytes("image/png"),
      documents: bytes("application/pdf"),
      tools: listOf(body["tools"]).flatMap((tool) => listOf(tool["functionDeclarations"]).map(({ name }) => name)),
      calls: parts
        .filter(({ functionCall }) => functionCall !== undefined)
        .map(({ functionCall: call }) => ({ id: at(call, "id"), name: at(call, "name") })),
      results: parts
        .filter(({ functionResponse }) => functionResponse !== undefined)
        .map(({ functionResponse: result }) => ({ id: at(result, "id"), text: at(result, "response", "output") })),
      thoughts: contents
        .filter(({ role }) => role === "model")
        .flatMap((content) => {
          const said = listOf(content["parts"]);
          const text = said.find(({ thought }) => thought === true)?.["text"] ?? null;
          const proof = said.map(({ thoughtSignature }) => thoughtSignature).find((given) => given !== undefined);
          // What is sent instead of one that was lost proves nothing.
          return typeof proof !== "string" || proof.startsWith("skip_") ? [] : [{ text, proof }];
        }),
      thinks: at(body, "generationConfig", "thinkingConfig") !== undefined,
      effort: typeof level === "string" ? level.toLowerCase() : undefined,
      schema: at(body, "generationConfig", "responseJsonSchema"),
      stop: at(body, "generationConfig", "stopSequences"),
    };
  },
  converse: (body) => {
    const blocks = listOf(body["messages"]).flatMap(({ content }) => listOf(content));
    const bytes = (kind: string, format: string) =>
      blocks
        .filter((block) => at(block[kind], "format") === format)
        .map((block) => String(at(block[kind], "source", "bytes")));
    const fields = body["additionalModelRequestFields"];
    const schema = at(body, "outputConfig", "textFormat", "structure", "jsonSchema", "schema");
    return {
      limitTokens: at(body, "inferenceConfig", "maxTokens"),
      pictures: bytes("image", "png"),
      documents: bytes("document", "pdf"),
      tools: listOf(at(body, "toolConfig", "tools")).map((tool) => at(tool, "toolSpec", "name")),
      calls: blocks.flatMap(({ toolUse: call }) =>
        call === undefined ? [] : [{ id: at(call, "toolUseId"), name: at(call, "name") }],
      ),
      results: blocks.flatMap(({ toolResult: result }) =>
        result === undefined ? [] : [{ id: at(result, "toolUseId"), text: wordsOf(at(result, "content")) }],
      ),
      thoughts: blocks.flatMap(({ reasoningContent: thought }) => {
        if (thought === undefined) return [];
        const redacted = at(thought, "redactedContent");
        if (redacted !== undefined) return [{ text: null, proof: redacted }];
        return [{ text: at(thought, "reasoningText", "text"), proof: at(thought, "reasoningText", "signature") }];
      }),
      thinks: at(fields, "thinking", "type") === "adaptive",
      effort: at(fields, "output_config", "effort"),
      schema: typeof schema === "string" ? (JSON.parse(schema) as unknown) : undefined,
      stop: at(body, "inferenceConfig", "stopSequences"),
    };
  },
};

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

const typed =
  (type: string) =>
  (part: Json): boolean =>
    part["type"] === type;

function at(value: unknown, ...path: string[]): unknown {
  let found = value;
  for (const name of path) found = (found as Json | undefined)?.[name];
  return found;
}

function dataOf(url: unknown, mediaType: string): string {
  const head = `data:${mediaType};base64,`;
  return typeof url === "string" && url.startsWith(head) ? url.slice(head.length) : "?";
}

/** A result is a text, or a list of blocks with one. */
const wordsOf = (content: unknown): unknown => (typeof content === "string" ? content : listOf(content)[0]?.["text"]);
