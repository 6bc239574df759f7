const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * Where a caller is, as far as it is worth counting: an IPv4 address, or the network of an IPv6 one, of whose addresses every
 * caller has more than it could ever use up.
 */
export function placeOf(address: string): string {
  const ipv4 = MAPPED_IPV4.exec(address)?.[1];
  if (ipv4 !== undefined || !address.includes(":")) return ipv4 ?? address;
  const [head = [], tail = []] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: Math.max(0, GROUPS - head.length - tail.length) }, () => "0");
  return [...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(":");
}
