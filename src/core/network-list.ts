import { BlockList, isIP, isIPv4 } from "node:net";

/** Whether an address lies in one of the networks. Addresses are those of `plainAddress`. */
export type NetworkList = (address: string) => boolean;

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const LOOPBACK = /^(?:127\.|::1$|localhost$)/;
const PREFIX = /^\d{1,3}$/;

/** Networks such as `10.0.0.0/8`, or single addresses, separated by commas; null when one of them cannot be read. */
export function readNetworkList(text: string): NetworkList | null {
  const networks = new BlockList();
  for (const entry of text === "" ? [] : text.split(",")) {
    const [address = "", prefix, ...rest] = entry.trim().split("/");
    const family = familyOf(address);
    if (family === null || rest.length > 0) return null;
    const longest = family === "ipv4" ? 32 : 128;
    const bits = prefix === undefined ? longest : PREFIX.test(prefix) ? Number(prefix) : Infinity;
    if (bits > longest) return null;
    networks.addSubnet(address, bits, family);
  }
  return (address) => {
    const family = familyOf(address);
    return family !== null && networks.check(address, family);
  };
}

/** An IPv4 address is one address, whether or not a socket of both kinds writes it as IPv6. */
export const plainAddress = (address: string): string => MAPPED_IPV4.exec(address)?.[1] ?? address;

export const isLoopback = (address: string): boolean => LOOPBACK.test(address);

const familyOf = (address: string): "ipv4" | "ipv6" | null =>
  isIPv4(address) ? "ipv4" : isIP(address) === 6 ? "ipv6" : null;
