import type { ReactNode } from "react";
import { saveFile } from "../../format/csv.ts";
import { groupDigits } from "../../format/money.ts";
import { IconButton } from "../../parts/button.tsx";
import type { TimedEvent } from "./run.ts";
import { useFollow } from "./use-follow.ts";

const MOST = 200;

/** Every event as it came, with the time since the request was sent. The newest are shown; the file has all. */
export function RawEvents({ events }: { events: readonly TimedEvent[] }): ReactNode {
  const shown = events.slice(-MOST);
  const box = useFollow<HTMLOListElement>(events.length);
  const save = (): void => saveFile("events.txt", events.map(lineOf).join("\n"), "text/plain");
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex items-center justify-between gap-2 text-small text-ink-2">
        {events.length > MOST
          ? `The newest ${MOST} of ${groupDigits(events.length)} events; the file has all.`
          : `${groupDigits(events.length)} events, with milliseconds since the request was sent`}
        <IconButton label="Download all events" icon="download" disabled={events.length === 0} onClick={save} />
      </div>
      <ol
        ref={box}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and the keyboard must reach that
        tabIndex={0}
        aria-label="Raw events"
        className="max-h-96 overflow-auto [overflow-anchor:none] rounded-md bg-sunken p-2 font-mono text-small leading-5"
      >
        {shown.map((event, index) => (
          <li key={events.length - shown.length + index} className="grid grid-cols-[64px_minmax(0,1fr)] gap-2">
            <span className="text-right text-ink-3">{event.atMs.toFixed(1)}</span>
            <span className="min-w-0 wrap-anywhere">
              {event.name !== null && <span className="text-accent">{event.name} </span>}
              {event.data}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

const lineOf = ({ atMs, name, data }: TimedEvent): string => `${atMs.toFixed(1)}\t${name ?? ""}\t${data}`;
