/** The formats a client may speak. */
type ClientDialect = "chat" | "responses" | "messages";

/** Where a client is pointed: the origin of a key's mode, without `/v1`. */
export type Access = { origin: string; apiKey: string; retries: number };

/** What a client's error lets its user know. */
export type Explained = {
  type: string;
  status: number | null;
  code: string | null;
  requestId: string | null;
  message: string;
};

export type ToolCall = { name: string; input: unknown };

/** Three turns: a tool is called, its result is answered, and so is what its user says then. */
export type Conversation = { call: ToolCall; said: [afterResult: string, afterMore: string] };

/** One client library, in the words all of them share. Every request is limited to `MAX_TOKENS`. */
export type Client = {
  dialect: ClientDialect;
  ask: (access: Access, model: string) => Promise<string>;
  /** Through the library's own way of reading a stream. */
  stream: (access: Access, model: string) => Promise<string>;
  callTool: (access: Access, model: string) => Promise<ToolCall>;
  /** Sends back what was answered as the library hands it out. */
  converse: (access: Access, model: string) => Promise<Conversation>;
  listModels?: (access: Access) => Promise<string[]>;
  countTokens?: (access: Access, model: string) => Promise<number>;
  explain: (error: unknown) => Explained;
};

/** Refusals every client is shown. */
export type Shown =
  | "invalid_credentials"
  | "insufficient_credit"
  | "model_not_found"
  | "limit_reached"
  | "provider_unavailable";

export type Manners = {
  /** The class of the client's error. */
  errors: Record<Shown, string>;
  /** Requests made for one question that is refused for good, where the client does not stop at one. */
  attempts?: Partial<Record<Shown, number>>;
  /** Whether the client notices that a stream has failed in the middle; it does unless this says otherwise. */
  overlooksFailedStream?: true;
};

export const MAX_TOKENS = 1_000;
export const PROMPT = "Say something.";
export const TOOL = {
  name: "get_weather",
  description: "Says what the weather is like.",
  schema: { type: "object" as const, properties: { city: { type: "string" as const } }, required: ["city"] },
};
export const TOOL_INPUT = { city: "Kraków" };
/** What the tool says, and what its user says after the answer. */
export const WEATHER = "Sunny.";
export const MORE = "And then?";

/** For an error that has nothing to do with an answer's status. */
export const unexplained = (error: unknown): Explained => ({
  type: error instanceof Error ? error.name : typeof error,
  status: null,
  code: null,
  requestId: null,
  message: error instanceof Error ? error.message : String(error),
});
