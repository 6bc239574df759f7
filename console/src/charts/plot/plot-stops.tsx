import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import type { Frame, Stop } from "./frame.ts";
import { type Readout, readoutText } from "./readout.tsx";

type Props = {
  stops: readonly Stop[];
  frame: Frame;
  readout: (index: number) => Readout;
  active: number | null;
  onActive: (index: number | null) => void;
  onPick: ((index: number) => void) | undefined;
  onRange: ((from: number, to: number) => void) | undefined;
};

/**
 * One invisible column per stop. Tab reaches the plot once, the arrows move within it, Enter picks. A pointer that is dragged
 * chooses a range.
 */
export function PlotStops({ stops, frame, readout, active, onActive, onPick, onRange }: Props): ReactNode {
  const [home, setHome] = useState(stops.length - 1);
  const [drag, setDrag] = useState<number | null>(null);
  const group = useRef<SVGGElement>(null);
  const last = stops.length - 1;
  const focus = (index: number): void => {
    setHome(index);
    (group.current?.children[index] as SVGElement | undefined)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent, index: number): void => {
    const moves: Record<string, number> = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: last };
    const next = moves[event.key];
    if (next !== undefined) focus(Math.min(last, Math.max(0, next)));
    else if (event.key === "Enter" || event.key === " ") onPick?.(index);
    else if (event.key === "Escape") onActive(null);
    else return;
    event.preventDefault();
  };
  const onPointerUp = (_event: PointerEvent, index: number): void => {
    const [first, second] = [stops[Math.min(drag ?? index, index)], stops[Math.max(drag ?? index, index)]];
    if (drag === null || drag === index) onPick?.(index);
    else if (first && second) onRange?.(first.from, second.to);
    setDrag(null);
  };
  return (
    <>
      {drag !== null && active !== null && onRange && <Dragged frame={frame} one={stops[drag]} other={stops[active]} />}
      <g ref={group} onPointerLeave={() => (onActive(null), setDrag(null))}>
        {stops.map(({ from, to }, index) => (
          <rect
            key={from}
            x={frame.x(from)}
            width={Math.max(1, frame.x(to) - frame.x(from))}
            height={frame.height}
            fill="transparent"
            role={onPick ? "button" : "img"}
            aria-label={readoutText(readout(index))}
            tabIndex={index === Math.min(home, last) ? 0 : -1}
            className={`outline-offset-0 ${onPick ? "cursor-pointer" : ""}`}
            onFocus={() => onActive(index)}
            onBlur={() => onActive(null)}
            onPointerEnter={() => onActive(index)}
            onPointerDown={(event) => (event.preventDefault(), setDrag(index))}
            onPointerUp={(event) => onPointerUp(event, index)}
            onKeyDown={(event) => onKeyDown(event, index)}
          />
        ))}
      </g>
    </>
  );
}

function Dragged({ frame, one, other }: { frame: Frame; one: Stop | undefined; other: Stop | undefined }): ReactNode {
  if (one === undefined || other === undefined) return null;
  const [from, to] = [frame.x(Math.min(one.from, other.from)), frame.x(Math.max(one.to, other.to))];
  return <rect x={from} width={to - from} height={frame.height} fill="var(--accent)" opacity={0.14} />;
}
