import type { Payer } from "../../core/money/payer.ts";
import type { SocketConversation } from "../../wire/responses/socket-message.ts";

type PaidFor = { payer: Payer };

/**
 * The last conversation of each socket, so that the next message may name it and send only what is new. What has not been used for
 * longest is forgotten when there is too much, of one payer or of all; its client is told to send the whole.
 */
export type Conversations = {
  of: (socket: object) => SocketConversation | null;
  keep: (socket: PaidFor, conversation: SocketConversation) => void;
  forget: (socket: object) => void;
};

type Options = {
  /** Of all conversations together. */
  bytes: number;
  /** Of one, since a larger one could not be sent as a request. */
  mostBytes: number;
  /** How much of `bytes` one payer may hold; one conversation of the largest size always fits. */
  keySharePercent: number;
};

export function createConversations({ bytes: most, mostBytes, keySharePercent }: Options): Conversations {
  const mostEach = Math.max(mostBytes, Math.floor((most * keySharePercent) / 100));
  /** Those used last stand last. */
  const kept = new Map<object, SocketConversation & PaidFor>();
  const perPayer = new Map<Payer, number>();
  let bytes = 0;

  const held = (payer: Payer): number => perPayer.get(payer) ?? 0;

  function count(payer: Payer, change: number): void {
    bytes += change;
    if (held(payer) + change === 0) perPayer.delete(payer);
    else perPayer.set(payer, held(payer) + change);
  }

  function forget(socket: object): void {
    const one = kept.get(socket);
    if (one === undefined) return;
    kept.delete(socket);
    count(one.payer, -one.items.length);
  }

  function forgetOldest(isFull: () => boolean, isMeant: (payer: Payer) => boolean): void {
    for (const [socket, { payer }] of kept) {
      if (!isFull()) return;
      if (isMeant(payer)) forget(socket);
    }
  }

  return {
    of: (socket) => kept.get(socket) ?? null,
    keep: (socket, conversation) => {
      const { payer } = socket;
      forget(socket);
      const { length } = conversation.items;
      if (length > Math.min(most, mostBytes)) return;
      kept.set(socket, { ...conversation, payer });
      count(payer, length);
      forgetOldest(
        () => held(payer) > mostEach,
        (other) => other === payer,
      );
      forgetOldest(
        () => bytes > most,
        () => true,
      );
    },
    forget,
  };
}
