import type { Socket } from "node:net";
import { isLoopback, type NetworkList, plainAddress } from "../../core/network-list.ts";
import { placeOf } from "../../core/place-of.ts";

type Options = {
  connections: number;
  /** How much of that one address may hold. */
  addressSharePercent: number;
  /** Many callers come through a trusted proxy, and through one on this machine. */
  trusted: NetworkList;
};

/** Closes connections beyond what one address may hold, so that it cannot take all of them. */
export function createConnectionShare(options: Options): (socket: Socket) => void {
  const { connections, addressSharePercent, trusted } = options;
  const most = Math.max(1, Math.floor((connections * addressSharePercent) / 100));
  const held = new Map<string, number>();
  return (socket) => {
    const address = plainAddress(socket.remoteAddress ?? "");
    if (isLoopback(address) || trusted(address)) return;
    const place = placeOf(address);
    const count = held.get(place) ?? 0;
    if (count >= most) {
      socket.destroy();
      return;
    }
    held.set(place, count + 1);
    socket.once("close", () => {
      const left = (held.get(place) ?? 0) - 1;
      if (left > 0) held.set(place, left);
      else held.delete(place);
    });
  };
}
