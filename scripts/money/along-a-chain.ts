/** One chain over the last minute of a month: requests of two people, run through the executable specification of the ledger. */
import { createId } from "../../src/core/ids.ts";
import { formatCredits } from "../../src/core/money/money.ts";
import type { Ask } from "../../src/ledger/ledger.ts";
import { createModel } from "../../tests/ledger/model.ts";
import { askOf, endOf } from "../../tests/support/lone-key.ts";
import { COLOURS, credits, DARK_COLOURS, legend, stepped } from "./paint.ts";

const WIDTH = 960;
const LEFT = 176;
const RIGHT = 28;
const TOP = 142;
const GAP = 26;
const BOTTOM = 100;
/** The same in every band, so that one charge has one height. */
const PIXELS_PER_CREDIT = 12;
const END_SECONDS = 60;
const START_MS = Date.UTC(2026, 10, 30, 23, 59, 20);
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });
const PROCESS = createId(1);

type Amount = { posted: bigint; held: bigint };
/** `lowest` is the last counter of the chain, `refusedBy` the one that was named. */
type Moment = {
  second: number;
  amounts: Amount[];
  words: [string, string] | null;
  lowest: number;
  refusedBy: number | null;
};
type Person = { keyId: string; name: string; chain: number[] };

const COUNTERS = [
  { number: 1, holder: "Acme", words: ["purse", "16 credits bought"], whole: credits("16") },
  { number: 2, holder: "Team Search", words: ["limit", "10 credits a month"], whole: credits("10") },
  { number: 3, holder: "Ana", words: ["limit", "5 credits a month"], whole: credits("5") },
];
const STATUS = { reserved: 429, insufficient: 402 };
const ledger = createModel({ startMs: START_MS - 3_600_000 });
const ana: Person = { keyId: createId(2), name: "Ana", chain: [1, 2, 3] };
const ben: Person = { keyId: createId(3), name: "Ben", chain: [1, 2] };
const asks = new Map<string, { ask: Ask; who: Person }>();
const moments: Moment[] = [];

founded();
startRequest("earlier", ana, "1");
endRequest("earlier", "1");
startRequest("earlier", ben, "2");
endRequest("earlier", "2");
ledger.advance(START_MS - ledger.nowMs());
moments.length = 0;
note(null);
at(3);
startRequest("A", ana, "3");
at(8);
startRequest("B", ben, "2.5");
at(13);
startRequest("C", ben, "2");
at(20);
endRequest("A", "2.2");
at(24);
endRequest("B", "1.8");
at(28);
startRequest("D", ben, "4");
at(35);
startRequest("E", ana, "1.5");
at(40);
note(["A new month", "the limits renew"]);
at(44);
startRequest("F", ben, "4");
at(50);
endRequest("E", "0.9");
at(53);
endRequest("F", "3.1");

function founded(): void {
  for (const [index, { number, holder, whole }] of COUNTERS.entries()) {
    ledger.createAccount(holder, COUNTERS[index - 1]?.holder ?? null);
    const of = { number, accountId: holder, keyId: null, unit: "credit", models: null } as const;
    if (index > 0) ledger.open({ ...of, kind: "limit", amount: whole, period: "month" });
    else ledger.open({ ...of, kind: "purse", amount: 0n, period: "none" });
  }
  ledger.fund({ counter: 1, reference: "p", kind: "purchase", amount: COUNTERS[0]!.whole, actor: "operator" });
  ledger.createKey(ana.keyId, "credit", { accountId: "Ana" });
  ledger.createKey(ben.keyId, "credit", { accountId: "Team Search" });
}

function at(second: number): void {
  ledger.advance(START_MS + second * 1_000 - ledger.nowMs());
}

/** What `/v1/usage` would say of each counter now. */
function note(words: Moment["words"], { lowest = 2, refusedBy = null as number | null } = {}): void {
  const seen = ledger.usage(ana.keyId)?.counters ?? [];
  const amounts = COUNTERS.map(({ number }) => {
    const it = seen.find(({ id }) => id === number);
    if (!it) throw new Error(`counter ${number} is not in the chain`);
    return { posted: it.posted, held: it.held };
  });
  moments.push({ second: (ledger.nowMs() - START_MS) / 1_000, amounts, words, lowest, refusedBy });
}

function startRequest(name: string, who: Person, amount: string): void {
  const [least, most] = [credits(amount), credits(amount)];
  const key = { keyId: who.keyId, bucket: 0, unit: "credit", chain: { id: 1, counters: who.chain } } as const;
  const ask = askOf(key, { id: createId(START_MS), least, most });
  asks.set(name, { ask, who });
  const [verdict] = ledger.admit(PROCESS, [ask]);
  const lowest = who.chain.length - 1;
  if (verdict?.kind === "admitted") {
    const reserved = formatCredits(verdict.granted.credits ?? -1n);
    return note([`${name}: ${who.name} starts`, `${reserved} reserved`], { lowest });
  }
  if (verdict?.kind !== "reserved" && verdict?.kind !== "insufficient") throw new Error(`${name}: ${verdict?.kind}`);
  const refusedBy = COUNTERS.findIndex(({ number }) => number === verdict.named.id);
  note([`${name}: ${who.name} needs ${amount}`, `refused, ${STATUS[verdict.kind]}`], { lowest, refusedBy });
}

function endRequest(name: string, price: string): void {
  const found = asks.get(name);
  if (!found) throw new Error(`${name} was never asked for`);
  const [settled] = ledger.settle([endOf(found.ask, { price: credits(price) })]);
  if (settled?.kind !== "settled") throw new Error(`${name}: ${settled?.kind}`);
  const charged = `${formatCredits(settled.charged.credits ?? -1n)} charged`;
  note([`${name}: completed`, charged], { lowest: found.who.chain.length - 1 });
}

const heightOf = (nano: bigint): number => (Number(nano) / 1e9) * PIXELS_PER_CREDIT;
const tops = COUNTERS.map((_, index) =>
  COUNTERS.slice(0, index).reduce((sum, { whole }) => sum + heightOf(whole) + GAP, TOP),
);
const floors = COUNTERS.map(({ whole }, index) => (tops[index] ?? 0) + heightOf(whole));
const lastFloor = floors.at(-1) ?? 0;
const height = lastFloor + BOTTOM;
const x = (seconds: number): number => LEFT + (seconds / END_SECONDS) * (WIDTH - LEFT - RIGHT);
const until = (index: number): number => x(moments[index + 1]?.second ?? END_SECONDS);

function bandsOf(counter: number): string {
  const y = (nano: bigint): number => (floors[counter] ?? 0) - heightOf(nano);
  const whole = COUNTERS[counter]!.whole;
  const band = (name: string, edges: (amount: Amount) => [low: bigint, high: bigint]): string =>
    stepped(
      name,
      moments.map(({ second, amounts }, index) => {
        const [low, high] = edges(amounts[counter]!);
        return { from: x(second), to: until(index), low: y(low), high: y(high) };
      }),
    );
  return [
    band("used", ({ posted }) => [posted, whole]),
    band("held", ({ posted, held }) => [posted - held, posted]),
    band("free", ({ posted, held }) => [0n, posted - held]),
  ].join("\n");
}

/** What is available, written where it has changed. */
function figuresOf(counter: number): string {
  return moments
    .map(({ second, amounts }, index) => {
      const [now, before] = [amounts[counter]!, moments[index - 1]?.amounts[counter]];
      const free = now.posted - now.held;
      if (before && before.posted - before.held === free) return "";
      const py = (floors[counter] ?? 0) - Math.min(heightOf(free) / 2, 40) + 4;
      return heightOf(free) < 14
        ? ""
        : `<text class="figure" x="${(x(second) + 6).toFixed(1)}" y="${py.toFixed(1)}">${formatCredits(free)}</text>`;
    })
    .join("");
}

function names(): string {
  return COUNTERS.map(({ holder, words }, index) => {
    const [px, py] = [18 + index * 12, (tops[index] ?? 0) + 13];
    const elbow =
      index === 0 ? "" : `<path class="tree" d="M${px - 7} ${(tops[index - 1] ?? 0) + 58}V${py - 4}H${px - 2}"/>`;
    const lines = [`<text class="name" x="${px + 2}" y="${py}">${holder}</text>`];
    for (const [row, line] of words.entries())
      lines.push(`<text class="quiet" x="${px + 2}" y="${py + 18 + row * 17}">${line}</text>`);
    return elbow + lines.join("");
  }).join("\n");
}

function scales(): string {
  return COUNTERS.map(({ whole }, index) => {
    const [top, floor] = [tops[index] ?? 0, floors[index] ?? 0];
    const tick = (py: number, text: string): string =>
      `<text class="quiet" x="${LEFT - 7}" y="${py}" text-anchor="end">${text}</text>`;
    const rule = `<line class="rule" x1="${LEFT}" y1="${floor}" x2="${WIDTH - RIGHT}" y2="${floor}"/>`;
    return rule + tick(top + 10, formatCredits(whole)) + tick(floor, "0");
  }).join("\n");
}

function annotations(): string {
  const noted = moments.filter(({ words }) => words !== null);
  const lines = noted.map(({ second, words, lowest }, index) => {
    const [px, py] = [x(second).toFixed(1), rowOf(index) - 11];
    const kind = words?.[0].startsWith("A new") ? "turn" : "mark";
    return `<line class="${kind}" x1="${px}" y1="${py}" x2="${px}" y2="${floors[lowest]}"/>`;
  });
  const texts = noted.map(({ second, words, refusedBy }, index) => {
    const px = (x(second) + 6).toFixed(1);
    const kind = refusedBy === null ? "" : ' class="no"';
    const [first, then] = words ?? ["", ""];
    const py = rowOf(index);
    return `<text class="event" x="${px}" y="${py}">${first}</text><text${kind} x="${px}" y="${py + 15}">${then}</text>`;
  });
  const crosses = noted.flatMap(({ second, refusedBy, amounts }) => {
    if (refusedBy === null) return [];
    const { posted, held } = amounts[refusedBy]!;
    return [stopAt(x(second), (floors[refusedBy] ?? 0) - heightOf(posted - held))];
  });
  return [...lines, ...texts, ...crosses].join("\n");
}

function stopAt(px: number, py: number): string {
  const cross = `M${(px - 3).toFixed(1)} ${(py - 3).toFixed(1)}l6 6m0 -6l-6 6`;
  return `<circle class="stop" cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="7.5"/><path class="cross" d="${cross}"/>`;
}

function rowOf(index: number): number {
  return 24 + (index % 3) * 38;
}

function clock(): string {
  const labels = [0, 10, 20, 30, 40, 50, 60].map((second) => {
    const time = new Date(START_MS + second * 1_000).toISOString().slice(11, 19);
    const anchor = second === END_SECONDS ? "end" : second === 0 ? "start" : "middle";
    return `<text class="quiet" x="${x(second).toFixed(1)}" y="${lastFloor + 20}" text-anchor="${anchor}">${time}</text>`;
  });
  const days = [0, 40].map((second) => {
    const day = `${DAY.format(START_MS + second * 1_000)}${second === 0 ? ", UTC" : ""}`;
    return `<text class="quiet" x="${x(second).toFixed(1)}" y="${lastFloor + 37}" text-anchor="${second === 0 ? "start" : "middle"}">${day}</text>`;
  });
  return [...labels, ...days].join("");
}

export const moneyAlongAChain = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="One chain over the last minute of a month: the purse of an organisation, the monthly limit of a team and that of a person, each with what is available, reserved and charged">
<style>
text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328;paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}
.quiet{fill:#4d5560}.name{font-weight:600;font-size:15px}.event{font-weight:600}.no{fill:#b3202a}.figure{stroke:none;fill:#0f4a33;font-size:12px}
.paper{fill:#fff}.rule{stroke:#8c959f}.mark{stroke:#6e7781;stroke-dasharray:2 3}.turn{stroke:#1f2328;stroke-width:1.5}.tree{stroke:#8c959f;fill:none}
.stop{fill:#b3202a;stroke:#fff;stroke-width:1.5}.cross{stroke:#fff;stroke-width:1.8;stroke-linecap:round}
${COLOURS}
@media (prefers-color-scheme:dark){text{fill:#e6edf3;stroke:#0d1117}.quiet{fill:#aeb8c4}.no{fill:#ff8f87}.figure{fill:#d6f5e6}.paper{fill:#0d1117}.rule{stroke:#6e7681}.mark{stroke:#8b949e}.turn{stroke:#e6edf3}.tree{stroke:#6e7681}.stop{fill:#da3633;stroke:#0d1117}${DARK_COLOURS}}
</style>
<rect class="paper" width="${WIDTH}" height="${height}"/>
${COUNTERS.map((_, index) => bandsOf(index)).join("\n")}
${scales()}
${clock()}
${names()}
${annotations()}
${COUNTERS.map((_, index) => figuresOf(index)).join("\n")}
${legend(LEFT, height - 36)}${stopAt(LEFT + 477, height - 29)}<text x="${LEFT + 490}" y="${height - 24}">the counter that refuses</text>
</svg>
`;
