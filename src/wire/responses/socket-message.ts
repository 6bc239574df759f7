import { Fault, fieldFault } from "../../core/fault.ts";
import { inputShouldBe } from "../../core/request/parsed-texts.ts";
import { editMembers, type MemberEdits } from "../json/edit-members.ts";
import { type ParsedBody, parseBody } from "../json/parse-body.ts";

/** What was said so far in a conversation: items as JSON, separated by commas, and the id of the response that ended it. */
export type SocketConversation = { id: string; items: Buffer };

/** A message of a client as the request that it stands for. */
export type SocketMessage = {
  /** `warm_up`: nothing is to be generated, and the next message may go on from here. */
  kind: "generate" | "warm_up";
  /** The body of the same request over HTTP. */
  body: Buffer;
  model: string;
  /** Its whole input, as in a conversation. */
  items: Buffer;
};

export type ReceivedMessage = {
  bytes: Buffer;
  maxDepth: number;
  /** The conversation that the message may go on with; null: there is none. */
  previous: SocketConversation | null;
};

/** `response.create` over a WebSocket: the members of `POST /v1/responses` and a few of its own. */
export function readSocketMessage({ bytes, maxDepth, previous }: ReceivedMessage): SocketMessage {
  const parsed = parseBody(bytes, maxDepth);
  const { value, members } = parsed;
  if (value["type"] !== "response.create") throw fieldFault("type", inputShouldBe("'response.create'"));
  if (value["stream_id"] !== undefined)
    throw fieldFault("stream_id", "Lanes aren't supported. Open a WebSocket for each.");
  const items = itemsOf(parsed, known(value["previous_response_id"], previous));
  const edits: MemberEdits = {
    type: null,
    generate: null,
    previous_response_id: null,
    stream: "true",
    ...(items !== null && { input: `[${items.toString()}]` }),
  };
  return {
    kind: generates(value["generate"]) ? "generate" : "warm_up",
    body: editMembers(bytes, members, edits),
    model: typeof value["model"] === "string" ? value["model"] : "",
    items: items ?? NOTHING,
  };
}

const NOTHING = Buffer.alloc(0);
const COMMA = Buffer.from(",");

function generates(generate: unknown): boolean {
  if (generate === undefined || generate === null || generate === true) return true;
  if (generate === false) return false;
  throw fieldFault("generate", inputShouldBe("a valid boolean"));
}

function known(id: unknown, previous: SocketConversation | null): Buffer | null {
  if (id === undefined || id === null) return null;
  if (typeof id !== "string") throw fieldFault("previous_response_id", inputShouldBe("a valid string"));
  if (previous === null || previous.id !== id) throw previousNotFound();
  return previous.items;
}

export const previousNotFound = (): Fault =>
  new Fault(
    "previous_response_not_found",
    "The response of this previous_response_id is not available on this socket. Send the whole conversation in `input`.",
    { param: "previous_response_id" },
  );

/** The items of a message behind those it goes on from; null when its input is for the schema to refuse. */
function itemsOf({ value, bytes, members }: ParsedBody, before: Buffer | null): Buffer | null {
  const { input } = value;
  if (typeof input === "string") {
    return joined(before, Buffer.from(JSON.stringify({ type: "message", role: "user", content: input })));
  }
  if (input === undefined) return before;
  const span = members.list.find(({ name }) => name === "input");
  if (!Array.isArray(input) || span === undefined) return null;
  return joined(before, input.length === 0 ? NOTHING : bytes.subarray(span.valueStart + 1, span.valueEnd - 1));
}

/** Two lists of items as one. */
export function joined(first: Buffer | null, second: Buffer): Buffer {
  if (first === null || first.length === 0) return second;
  return second.length === 0 ? first : Buffer.concat([first, COMMA, second]);
}
