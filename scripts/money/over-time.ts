/** The money of one key over a minute: a day's worth of trouble, run through the executable specification of the ledger. */
import { createId } from "../../src/core/ids.ts";
import { formatCredits } from "../../src/core/money/money.ts";
import { NO_USAGE } from "../../src/core/money/usage.ts";
import type { Outcome } from "../../src/core/money/usage.ts";
import { createModel } from "../../tests/ledger/model.ts";
import { askOf, endOf, type LoneKey } from "../../tests/support/lone-key.ts";
import { COLOURS, credits, DARK_COLOURS, legend, stepped } from "./paint.ts";

const WIDTH = 960;
const HEIGHT = 520;
const LEFT = 56;
const RIGHT = 24;
const TOP = 150;
const BOTTOM = 64;
const END_SECONDS = 60;

type Moment = { second: number; posted: bigint; held: bigint; note: string | null };

const key: LoneKey = { keyId: createId(1), bucket: 0, unit: "credit", chain: { id: 1, counters: [] }, counter: 1 };
const [east, west] = [createId(2), createId(3)];
const ids = new Map<string, string>();
const idOf = (name: string): string =>
  ids.get(name) ?? (ids.set(name, createId(Date.UTC(2026, 0, 5))), ids.get(name) ?? "");
const ledger = createModel({ startMs: Date.UTC(2026, 0, 5) });
const moments: Moment[] = [];
let second = 0;

ledger.createKey(key.keyId, "credit", { own: key.counter });
ledger.fund({ counter: key.counter, reference: "p", kind: "purchase", amount: credits("1"), actor: "operator" });
note("1 credit bought");
at(3);
admit("A", "0.40", east);
at(7);
admit("B", "0.30", west);
at(10);
admit("C", "0.35", west);
at(14);
settle("B", "completed", "0.12");
at(20);
settle("A", "client_gone", "0.18");
at(25);
admit("D", "0.40", east);
at(28);
ledger.checkpoint([
  { ...askOf(key, { id: idOf("D") }), seq: 1, credits: credits("0.15"), usage: NO_USAGE, contentDelivered: true },
]);
note("D: checkpoint at 0.15");
at(31);
note("the process serving D is killed");
at(48);
const swept = ledger.sweep(west, 10);
note(`D: ended by the sweep, charged ${formatCredits(swept[0]?.charged.credits ?? -1n)}`);
at(51);
admit("E", "0.40", west);
at(55);
settle("E", "upstream_failed", "0.40");
at(END_SECONDS);
note(null);

function at(next: number): void {
  for (; second < next; second++) {
    ledger.advance(1_000);
    if (second % 5 === 0) ledger.heartbeat(west);
    if (second % 5 === 0 && second < 31) ledger.heartbeat(east);
  }
}

function account(): { posted: bigint; held: bigint } {
  return ledger.counter(key.counter);
}

function note(text: string | null): void {
  const { posted, held } = account();
  moments.push({ second, posted, held, note: text });
}

function admit(name: string, amount: string, processId: string): void {
  const [least, most] = [credits(amount), credits(amount)];
  const [verdict] = ledger.admit(processId, [askOf(key, { id: idOf(name), least, most, lifetimeMs: 360_000 })]);
  if (verdict?.kind === "admitted")
    return note(`${name} admitted: ${formatCredits(verdict.granted.credits ?? -1n)} reserved`);
  if (verdict?.kind !== "reserved") throw new Error(`${name} was neither admitted nor kept waiting`);
  const { posted, held } = account();
  note(`${name} needs ${amount}, ${formatCredits(posted - held)} available: 429`);
}

function settle(name: string, outcome: Outcome, charge: string): void {
  const ending = { outcome, price: credits(charge), usage: NO_USAGE };
  const [settled] = ledger.settle([endOf(askOf(key, { id: idOf(name) }), ending)]);
  const charged = settled?.kind === "settled" ? formatCredits(settled.charged.credits ?? -1n) : "?";
  const how = {
    completed: "completed",
    client_gone: "client disconnected",
    upstream_failed: "provider failed",
    timed_out: "",
  };
  note(`${name}: ${how[outcome]}, charged ${charged}`);
}

const x = (seconds: number): number => LEFT + (seconds / END_SECONDS) * (WIDTH - LEFT - RIGHT);
const y = (nano: bigint): number => HEIGHT - BOTTOM - (Number(nano) / 1e9) * (HEIGHT - TOP - BOTTOM);

/** A band between two amounts that change in steps. */
function band(name: string, low: (moment: Moment) => bigint, high: (moment: Moment) => bigint): string {
  return stepped(
    name,
    moments.map((moment, index) => ({
      from: x(moment.second),
      to: x(moments[index + 1]?.second ?? END_SECONDS),
      low: y(low(moment)),
      high: y(high(moment)),
    })),
  );
}

function annotations(): { lines: string; texts: string } {
  const noted = moments.filter(({ note: text }) => text !== null);
  return (
    noted
      .map((moment, index) => {
        const row = index % 6;
        const [px, py] = [x(moment.second), 34 + row * 18];
        const anchor = moment.second > END_SECONDS * 0.72 ? "end" : "start";
        const shift = anchor === "end" ? -5 : 5;
        const line = `<line class="mark" x1="${px.toFixed(1)}" y1="${py - 10}" x2="${px.toFixed(1)}" y2="${HEIGHT - BOTTOM}"/>`;
        const text = `<text x="${(px + shift).toFixed(1)}" y="${py}" text-anchor="${anchor}">${moment.note ?? ""}</text>`;
        return { line, text };
      })
      // Lines first: a label must not be crossed by the line of another.
      .reduce((all, { line, text }) => ({ lines: all.lines + line, texts: all.texts + text }), { lines: "", texts: "" })
  );
}

const scale = ["0", "0.25", "0.5", "0.75", "1"]
  .map((amount) => {
    const py = y(credits(amount)).toFixed(1);
    return `<line class="rule" x1="${LEFT}" y1="${py}" x2="${WIDTH - RIGHT}" y2="${py}"/><text class="quiet" x="${LEFT - 8}" y="${Number(py) + 4}" text-anchor="end">${amount}</text>`;
  })
  .join("\n");
const seconds = [0, 10, 20, 30, 40, 50, 60]
  .map(
    (value) =>
      `<text class="quiet" x="${x(value).toFixed(1)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${value} s</text>`,
  )
  .join("");
export const moneyOverTime = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="The money of one key over a minute: available, reserved and charged">
<style>
text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328;paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}
.quiet{fill:#4d5560}.paper{fill:#fff}.rule{stroke:#d0d7de}.mark{stroke:#6e7781;stroke-dasharray:2 3}
${COLOURS}
@media (prefers-color-scheme:dark){text{fill:#e6edf3;stroke:#0d1117}.quiet{fill:#aeb8c4}.paper{fill:#0d1117}.rule{stroke:#30363d}.mark{stroke:#8b949e}${DARK_COLOURS}}
</style>
<rect class="paper" width="${WIDTH}" height="${HEIGHT}"/>
${band(
  "used",
  ({ posted }) => posted,
  () => credits("1"),
)}
${band(
  "held",
  ({ posted, held }) => posted - held,
  ({ posted }) => posted,
)}
${band(
  "free",
  () => 0n,
  ({ posted, held }) => posted - held,
)}
${scale}
${seconds}
${annotations().lines}
${annotations().texts}
${legend(LEFT, HEIGHT - 30)}
</svg>
`;
