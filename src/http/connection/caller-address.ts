import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { isLoopback, type NetworkList, plainAddress } from "../../core/network-list.ts";

/**
 * The address a request was sent from, as far as it can be believed; null when it is not known, because all requests come
 * through one proxy that does not say for whom.
 */
export type CallerAddress = (request: Pick<IncomingMessage, "headers" | "socket">) => string | null;

/** Why addresses are not known: the proxy does not tell them, or is not trusted to. */
export type HiddenAddress = { peer: string; reason: "not_forwarded" | "not_trusted" };

type Options = { trusted: NetworkList; onHidden: (hidden: HiddenAddress) => void };

/** Nobody has more proxies in a row; a header that names more is not worth reading. */
const MOST_PROXIES = 16;
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([0-9a-f:.]+)\])(?::\w{1,5})?$/i;
const FORWARDED_FOR = /^\s*for\s*=\s*(?:"([^"]*)"|([^"\s]+))\s*$/i;

export function createCallerAddress({ trusted, onHidden }: Options): CallerAddress {
  const told = new Set<HiddenAddress["reason"]>();
  const hidden = (peer: string, reason: HiddenAddress["reason"]): null => {
    if (!told.has(reason)) {
      told.add(reason);
      onHidden({ peer, reason });
    }
    return null;
  };

  /** Each proxy adds to the right whom it heard from, so only what trusted ones added is read. */
  function walk(peer: string, list: string, read: (entry: string) => string | null): string {
    let address = peer;
    let end = list.length;
    for (let hop = 0; hop < MOST_PROXIES && end >= 0; hop++) {
      const comma = list.lastIndexOf(",", end - 1);
      const entry = read(list.slice(comma + 1, end));
      if (entry === null) return address;
      address = entry;
      if (!trusted(address)) return address;
      end = comma;
      if (comma <= 0) return address;
    }
    return address;
  }

  return ({ headers, socket }) => {
    const peer = plainAddress(socket.remoteAddress ?? "");
    const { forwarded } = headers;
    const listed = headers["x-forwarded-for"];
    if (!trusted(peer)) {
      if (!isLoopback(peer)) return peer;
      return forwarded === undefined && listed === undefined ? null : hidden(peer, "not_trusted");
    }
    const said = new Set<string>();
    if (listed !== undefined) said.add(walk(peer, String(listed), readListed));
    if (forwarded !== undefined) said.add(walk(peer, forwarded, readForwarded));
    if (said.size === 0) return hidden(peer, "not_forwarded");
    const [address = peer] = said;
    // A proxy that writes one of the headers may pass on the other as it came from the caller. Which of two that differ is
    // the caller's invention cannot be known, so neither is believed.
    return said.size === 1 ? address : peer;
  };
}

/** An address with or without a port, as in X-Forwarded-For. */
function readListed(entry: string): string | null {
  const text = entry.trim();
  if (isIP(text) !== 0) return plainAddress(text);
  const [, ipv4, ipv6] = WITH_PORT.exec(text) ?? [];
  const address = ipv4 ?? ipv6 ?? "";
  return isIP(address) === 0 ? null : plainAddress(address);
}

/** One element of Forwarded. `unknown` and hidden names are no addresses. [RFC 7239] */
function readForwarded(element: string): string | null {
  const named = element.split(";").flatMap((pair) => {
    const [, quoted, plain] = FORWARDED_FOR.exec(pair) ?? [];
    return quoted ?? plain ?? [];
  });
  return named.length === 1 && named[0] !== undefined ? readListed(named[0]) : null;
}
