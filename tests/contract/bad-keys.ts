import { crc32 } from "node:zlib";

/** Keys that were never issued, made of one that was. */
export function badKeys(good: string): [name: string, key: string][] {
  const last = good.at(-1) ?? "";
  return [
    ["nonsense", "nonsense"],
    ["the mark alone", good.slice(0, 4)],
    ["the public prefix alone", good.slice(0, 12)],
    ["one character short", good.slice(0, -1)],
    ["one character long", `${good}0`],
    ["a wrong checksum", good.slice(0, -1) + (last === "0" ? "1" : "0")],
    ["another mark", `sk-${good.slice(4)}`],
    ["the mark of the other mode", `tgt_${good.slice(4)}`],
    ["upper case", good.toUpperCase()],
    ["a bucket that is not hexadecimal", `tgc_zzz${good.slice(7)}`],
    ["letters of another alphabet", good.slice(0, 10) + Buffer.from("é", "utf8").toString("latin1") + good.slice(12)],
    ["ten thousand characters", "a".repeat(10_000)],
    ["an attempt at SQL", "'or'1'='1"],
  ];
}

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Made by the rules, checksum and all, but known to nobody: how a checksum is made is no secret. [interface decision 5] */
export function unknownKey(number = 0): string {
  const body = `tgc_abc${String(number).padStart(32, "0")}`;
  let rest = crc32(body);
  let checksum = "";
  for (let position = 0; position < 6; position++) {
    checksum = BASE62.charAt(rest % 62) + checksum;
    rest = Math.floor(rest / 62);
  }
  return body + checksum;
}
