import { plainAddress } from "./network-list.ts";

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * Where a caller is, as far as it is worth counting: an IPv4 address, or the network of an IPv6 one, of whose addresses every
 * caller has more than it could ever use up.
 */
export function placeOf(given: string): string {
  const address = plainAddress(given);
  if (!address.includes(":")) return address;
  const [head = [], tail = []] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: Math.max(0, GROUPS - head.length - tail.length) }, () => "0");
  return [...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(":");
}
