import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { type TextCounter, loadCountTokens } from "./count-tokens.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { processorMs } from "../../tests/support/processor-time.ts";

let count: TextCounter;
beforeAll(async () => {
  count = await loadCountTokens();
});

const project = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The same noise every time. */
const noise = (encoding: "base64" | "hex", blocks: number): string =>
  Array.from({ length: blocks }, (_, block) => createHash("sha512").update(`${block}`).digest(encoding)).join("");

/** Words of letters drawn at random, as a caller may send to be estimated low. */
function randomWords(letters: string, length: number): string {
  let seed = 1;
  const draw = (): string => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return letters[Math.floor((seed / 0x7fffffff) * letters.length)] ?? "";
  };
  return Array.from({ length: 2_000 }, () => Array.from({ length }, draw).join("")).join(" ");
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz";
const CONSONANTS = "bcdfghjklmnpqrstvwxz";

/** How far the estimate may lie below and above the count, as shares of it. */
const KINDS: [kind: string, text: () => string, below: number, above: number][] = [
  ["prose", () => project("README.md") + project("SECURITY.md"), 0.1, 0.25],
  ["code", () => project("src/relay/relay.ts") + project("schema/functions/ledger/admit/admitted.sql"), 0.1, 0.25],
  ["JSON, spread out", () => project("package-lock.json").slice(0, 50_000), 0.15, 0.25],
  ["JSON, packed", () => JSON.stringify(JSON.parse(project("package-lock.json"))).slice(0, 50_000), 0.15, 0.25],
  [
    "minified code",
    () => minified(project("src/relay/relay.ts") + project("src/gateway/generate/generate.ts")),
    0.15,
    0.35,
  ],
  ["base64", () => noise("base64", 200), 0.25, 0.25],
  ["hexadecimal", () => noise("hex", 200), 0.15, 0.25],
  ["random consonants in words of 6", () => randomWords(CONSONANTS, 6), 0.25, 0.25],
  ["random letters in words of 5", () => randomWords(ALPHABET, 5), 0.25, 0.25],
  ["random letters in words of 12", () => randomWords(ALPHABET, 12), 0.25, 0.25],
  ["random letters without a break", () => randomWords(ALPHABET, 40).replaceAll(" ", ""), 0.25, 0.35],
  [
    "Chinese",
    () => "人工智能正在改变世界各地人们的工作和生活方式。我们需要确保这项技术能够造福所有人。".repeat(40),
    0.1,
    0.5,
  ],
  ["Japanese", () => "人工知能は世界中の人々の働き方や暮らし方を変えつつあります。".repeat(40), 0.1, 0.5],
  ["Korean", () => "인공지능은 전 세계 사람들의 일과 삶의 방식을 바꾸고 있습니다.".repeat(40), 0.1, 0.5],
  ["Russian", () => "Искусственный интеллект меняет то, как люди работают и живут.".repeat(40), 0.1, 1],
  ["Arabic", () => "يغير الذكاء الاصطناعي طريقة عمل الناس وحياتهم في العالم.".repeat(40), 0.1, 1],
  ["Hindi", () => "कृत्रिम बुद्धिमत्ता लोगों के काम करने और जीने के तरीके को बदल रही है।".repeat(40), 0.1, 1],
  ["Thai", () => "ปัญญาประดิษฐ์กำลังเปลี่ยนวิธีการทำงานและการใช้ชีวิตของผู้คนทั่วโลก".repeat(40), 0.1, 0.5],
  ["Georgian", () => "ხელოვნური ინტელექტი ცვლის ადამიანების მუშაობისა და ცხოვრების წესს.".repeat(40), 0.1, 1],
  ["Khmer", () => "បញ្ញាសិប្បនិម្មិតកំពុងផ្លាស់ប្តូររបៀបដែលមនុស្សធ្វើការ និងរស់នៅ។".repeat(40), 0.1, 0.5],
  ["Sinhala", () => "කෘතිම බුද්ධිය මිනිසුන් වැඩ කරන සහ ජීවත් වන ආකාරය වෙනස් කරයි.".repeat(40), 0.1, 0.5],
  ["Tibetan", () => "བོད་ཡིག་ནི་བོད་པའི་སྐད་ཡིག་ཡིན། འདི་ནི་རྙིང་པའི་ཡི་གེ་ཞིག་རེད།".repeat(40), 0.1, 0.5],
  ["Amharic", () => "ሰው ሰራሽ የማሰብ ችሎታ ሰዎች የሚሰሩበትንና የሚኖሩበትን መንገድ እየቀየረ ነው።".repeat(40), 0.1, 0.5],
  ["Lao", () => "ປັນຍາປະດິດກຳລັງປ່ຽນແປງວິທີທີ່ຄົນເຮັດວຽກແລະດຳລົງຊີວິດ".repeat(40), 0.1, 0.5],
  ["N'Ko", () => "ߒߞߏ ߞߊ߲ ߠߋ߬".repeat(40), 0.1, 0.25],
  ["Yi", () => "ꀀꀁꀂꀃꀄꀅ".repeat(40), 0.1, 0.25],
  ["Cherokee", () => "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ".repeat(40), 0.1, 0.25],
  ["rare Chinese characters", () => "㐀㐁㐂㐃㐄㐅𠀀𠀁𠀂𠀃".repeat(40), 0.1, 0.25],
  ["emoji", () => "😀👨‍👩‍👧‍👦🏳️‍🌈👍🏽🇩🇪🧑🏿‍🚀✨🎉".repeat(40), 0.1, 1],
  ["German", () => "Künstliche Intelligenz verändert die Arbeits- und Lebensweise der Menschen.".repeat(40), 0.1, 0.25],
  ["punctuation", () => "!?;:,.-_=+*&^%$#@~".repeat(400), 0.1, 0.25],
  ["letters that are no words", () => "qwxz".repeat(2_000), 0.1, 0.35],
];

/** Code without comments, indentation and line ends. */
const minified = (code: string): string =>
  code
    .replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([{}();:,=<>|&?+]) ?/g, "$1");

test.each(KINDS)("the estimate of %s lies within its stated error", (_kind, text, below, above) => {
  const counted = count(text());
  const estimated = estimateTokens(text());

  expect(estimated).toBeGreaterThanOrEqual(counted * (1 - below));
  expect(estimated).toBeLessThanOrEqual(counted * (1 + above));
});

test.each(KINDS)("neither the count nor the estimate of %s exceeds one token per byte", (_kind, text) => {
  const bytes = Buffer.byteLength(text());

  expect(count(text())).toBeLessThanOrEqual(bytes);
  expect(estimateTokens(text())).toBeLessThanOrEqual(bytes);
});

test("an estimate never exceeds the bound of one token per byte, whatever the bytes", () => {
  for (const text of ["", "a", "!", "\n", "é", "漢", "😀", "\0\0", "A1b2C3", " ".repeat(99), noise("base64", 3)])
    expect(estimateTokens(text)).toBeLessThanOrEqual(Buffer.byteLength(text));
});

test.each(["a", " ", "\n", "é", "漢", "ab ", "😀"])(
  "a mebibyte of %j is estimated and counted in bounded time",
  (unit) => {
    const text = unit.repeat(Math.ceil(1_048_576 / Buffer.byteLength(unit)));

    expect(processorMs(() => estimateTokens(text))).toBeLessThan(250);
    expect(processorMs(() => count(text))).toBeLessThan(4_000);
  },
);

test("text past the counting limit is taken to be like what came before", () => {
  const word = "gateway ";

  expect(count(word.repeat(131_072)) / count(word.repeat(32_768))).toBeCloseTo(4, 1);
});

test.each(["<|endoftext|>", "<|endofprompt|>", "<|im_start|>user", "\ud800", "\0"])(
  "%j is counted as the text that it is, so that nobody's bill fails for it",
  (mark) => {
    expect(count(`one ${mark} two`)).toBeGreaterThanOrEqual(3);
  },
);
