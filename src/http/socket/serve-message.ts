import type { Payer } from "../../core/money/payer.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../core/clock.ts";
import type { FaultCode } from "../../core/fault.ts";
import { invariant } from "../../core/invariant.ts";
import type { KeyMode } from "../../core/people/key-mode.ts";
import { type CountRequest, countRefusal } from "../../gateway/count-request.ts";
import type { RequestFinished } from "../../telemetry/request-line.ts";
import { joined, type ReceivedMessage, type SocketMessage } from "../../wire/responses/socket-message.ts";
import { warmUpAnswer } from "../../wire/responses/socket-events.ts";
import { requireSize } from "../read/body.ts";
import { type Exchange, NOTHING_GENERATED, type PublicRoute } from "../public-route.ts";
import type { ServeGeneration } from "../serve/serve-generation.ts";
import type { ServeExchange } from "../serve/serve-route.ts";
import type { Conversations } from "./conversations.ts";
import type { ServeMessage, SocketSession } from "./socket-session.ts";
import type { SocketSink } from "./socket-sink.ts";

export type ReadSocketMessage = (
  received: ReceivedMessage & { payer: Payer },
) => SocketMessage | Promise<SocketMessage>;

export type MessageParts = {
  /** The route of the same request over HTTP. */
  route: PublicRoute;
  /** Makes its work for a request whose body is already here. */
  serveBody: (body: Buffer) => ServeGeneration;
  serveExchange: ServeExchange;
  countRequest: CountRequest;
  readMessage: ReadSocketMessage;
  conversations: Conversations;
  maxJsonDepth: number;
  clock: Pick<Clock, "nowMs">;
};

/** The request that opened the socket: every message comes with its headers. */
type Opened = { request: IncomingMessage; response: ServerResponse; origin: KeyMode };

/** A message is a request of its own: the same way in, the same money, the same end as over HTTP. */
export function createServeMessage(parts: MessageParts, opened: Opened): ServeMessage {
  return async (session, bytes) => {
    let code: FaultCode | null = null;
    let sink: SocketSink | null = null;
    const work = async (exchange: Exchange): Promise<RequestFinished> => {
      const message = await open(parts, session, exchange, bytes);
      if (message.kind === "warm_up") return warmUp(parts, session, exchange, message);
      const finished = await parts.serveBody(message.body)(exchange);
      code = finished.code;
      remember(parts, session, message, sink);
      return finished;
    };
    await parts.serveExchange({
      ...opened,
      route: { ...parts.route, method: "GET", work },
      channel: {
        openSink: () => (sink = session.openSink()),
        refuse: (fault, requestId) => {
          ({ code } = fault);
          return session.refuse(fault, requestId);
        },
        whenSent: (done) => session.whenSent(done),
      },
    });
    return code;
  };
}

/** Reads the message, with what it goes on from. What is wrong with it counts against the rate of the key, as over HTTP. */
async function open(parts: MessageParts, session: SocketSession, { context, route }: Exchange, bytes: Buffer) {
  const { caller, share, id } = context;
  invariant(caller !== null && share !== null, "a message without a caller");
  try {
    share.take(bytes.length);
    const message = await parts.readMessage({
      bytes,
      maxDepth: parts.maxJsonDepth,
      previous: parts.conversations.of(session),
      payer: caller.key.payer,
    });
    requireSize(message.body, route.maxBodyBytes);
    share.take(Math.max(0, message.body.length - bytes.length));
    return message;
  } catch (refusal) {
    return countRefusal(refusal, () => parts.countRequest(caller, id));
  }
}

/** Nothing is generated, reserved or charged; it counts against the rate of the key. */
async function warmUp(
  { countRequest, conversations, clock }: MessageParts,
  session: SocketSession,
  { context: { caller, id, requestId, log } }: Exchange,
  { model, items }: SocketMessage,
): Promise<RequestFinished> {
  invariant(caller, "a message without a caller");
  log.modelAsked(model);
  await countRequest(caller, id);
  const answer = warmUpAnswer({ requestId, model, createdAtSeconds: Math.floor(clock.nowMs() / 1000) });
  conversations.keep(session, { id: answer.id, items: Buffer.from(items) });
  for (const text of answer.texts) session.send(text);
  const bytesOut = answer.texts.reduce((sum, text) => sum + text.length, 0);
  return { ...NOTHING_GENERATED, status: 200, streamed: true, bytesOut };
}

const NOTHING = Buffer.alloc(0);

/** Only a whole response can be gone on from. */
function remember(
  { conversations }: MessageParts,
  session: SocketSession,
  { items }: SocketMessage,
  sink: SocketSink | null,
): void {
  const completed = sink?.completed() ?? null;
  if (completed === null || session.isGone()) return;
  const said = completed.items.reduce(joined, NOTHING);
  // A copy of what may be a piece of a larger buffer, which would be kept with it.
  conversations.keep(session, { id: completed.id, items: Buffer.from(joined(items, said)) });
}
