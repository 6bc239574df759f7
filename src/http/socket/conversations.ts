import type { SocketConversation } from "../../wire/responses/socket-message.ts";

/**
 * The last conversation of each socket, so that the next message may name it and send only what is new. What has not been used for
 * longest is forgotten when there is too much; its client is told to send the whole.
 */
export type Conversations = {
  of: (socket: object) => SocketConversation | null;
  keep: (socket: object, conversation: SocketConversation) => void;
  forget: (socket: object) => void;
};

/** `bytes`: of all conversations together. `mostBytes`: of one, since a larger one could not be sent as a request. */
export function createConversations({ bytes: most, mostBytes }: { bytes: number; mostBytes: number }): Conversations {
  /** Those used last stand last. */
  const kept = new Map<object, SocketConversation>();
  let bytes = 0;

  function forget(socket: object): void {
    const conversation = kept.get(socket);
    if (conversation === undefined) return;
    kept.delete(socket);
    bytes -= conversation.items.length;
  }

  return {
    of: (socket) => kept.get(socket) ?? null,
    keep: (socket, conversation) => {
      forget(socket);
      const { length } = conversation.items;
      if (length > Math.min(most, mostBytes)) return;
      kept.set(socket, conversation);
      bytes += length;
      for (const [oldest] of kept) {
        if (bytes <= most) break;
        forget(oldest);
      }
    },
    forget,
  };
}
