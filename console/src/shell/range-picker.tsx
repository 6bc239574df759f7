import { Popover } from "@base-ui/react/popover";
import { type ReactNode, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { FLOATING } from "../parts/floating.ts";
import { Icon } from "../parts/icon.tsx";
import { RANGES, USUAL_RANGE } from "./range.ts";
import type { PageSearch } from "../routes/search.ts";
import { usePageSearch } from "./use-range.ts";

const NONE: PageSearch = { range: undefined, from: undefined, to: undefined };

/** The span of time of all pages: one that ends now, or one of one's own. */
export function RangePicker(): ReactNode {
  const { search, range, change } = usePageSearch();
  const [open, setOpen] = useState(false);
  const pick = (next: PageSearch): void => {
    change({ ...NONE, ...next });
    setOpen(false);
  };
  const isOwn = search.from !== undefined && search.to !== undefined;
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger render={<Button icon="clock" />}>
        <span className="sr-only">Span of time: </span>
        <span className="hidden sm:inline">{range.name}</span>
        <span className="sm:hidden">{shortName(range.name)}</span>
        <Icon name="down" size={14} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-30">
          <Popover.Popup className={`${FLOATING} w-72 p-1`} aria-label="Span of time">
            {Object.entries(RANGES).map(([id, { name }]) => (
              <Choice
                key={id}
                name={name}
                chosen={!isOwn && (search.range ?? USUAL_RANGE) === id}
                onPick={() => pick({ range: id })}
              />
            ))}
            <OwnSpan range={range} onPick={(from, to) => pick({ from, to })} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Where there is little room; a part of the whole name, so that it can be spoken to as it is read. */
const shortName = (name: string): string => name.replace(/^Last | span$/, "");

const Choice = ({ name, chosen, onPick }: { name: string; chosen: boolean; onPick: () => void }): ReactNode => (
  <button
    type="button"
    aria-pressed={chosen}
    onClick={onPick}
    className="flex h-8 w-full items-center justify-between rounded-sm px-2 hover:bg-sunken"
  >
    {name}
    {chosen && <Icon name="check" />}
  </button>
);

function OwnSpan({
  range,
  onPick,
}: {
  range: { fromMs: number; toMs: number };
  onPick: (from: string, to: string) => void;
}): ReactNode {
  const [from, setFrom] = useState(() => localInput(range.fromMs));
  const [to, setTo] = useState(() => localInput(range.toMs));
  const problem = new Date(from) < new Date(to) ? null : "The span must end after it begins.";
  return (
    <form
      className="mt-1 flex flex-col gap-2 border-t border-line p-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === null) onPick(new Date(from).toISOString(), new Date(to).toISOString());
      }}
    >
      <Field label="From" type="datetime-local" value={from} onChange={({ target }) => setFrom(target.value)} />
      <Field
        label="To"
        type="datetime-local"
        value={to}
        problem={problem}
        onChange={({ target }) => setTo(target.value)}
      />
      <Button type="submit" disabled={problem !== null}>
        Show this span
      </Button>
    </form>
  );
}

/** As `datetime-local` wants it: local, to the minute. */
const localInput = (atMs: number): string =>
  new Date(atMs - new Date(atMs).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
