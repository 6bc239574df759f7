import type { ReactNode } from "react";

/** Whether more of it is good, bad or neither. Only then has its change a colour. */
export type Wish = "more" | "less" | "neither";

/** The change against the period before, in whole percent, with its direction. */
export function Delta({ now, before, wish = "neither" }: { now: bigint; before: bigint; wish?: Wish }): ReactNode {
  if (before === 0n) return <span className="text-small text-ink-3">no value before</span>;
  const tenths = ((now - before) * 1000n) / before;
  const size = tenths < 0n ? -tenths : tenths;
  if (size === 0n) return <span className="text-small text-ink-3">unchanged</span>;
  const isUp = tenths > 0n;
  const tone = wish === "neither" ? "text-ink-2" : isUp === (wish === "more") ? "text-good" : "text-bad";
  const percent = size >= 1000n ? (size / 10n).toString() : `${size / 10n}.${size % 10n}`;
  return (
    <span className={`text-small font-medium whitespace-nowrap ${tone}`}>
      <span aria-hidden="true">{isUp ? "↑" : "↓"} </span>
      <span className="sr-only">{isUp ? "up " : "down "}</span>
      {percent} %
    </span>
  );
}
