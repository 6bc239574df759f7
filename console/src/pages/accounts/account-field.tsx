import { Popover } from "@base-ui/react/popover";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from "react";
import { queryOf } from "../../api/query.ts";
import { INPUT, Labelled, type Labels } from "../../parts/field.tsx";
import { FLOATING } from "../../parts/floating.ts";
import { useListbox } from "../../parts/use-listbox.ts";
import { LONGEST_SEARCH, useSettled } from "../../parts/use-settled.ts";

const FEW = 50;

export type Place = { id: string; path: string };

type Props = Labels & {
  name: string;
  /** What it means to choose none; null: one has to be chosen. */
  none: string | null;
  /** What is chosen at first; null: none. */
  usual: Place | null;
  autoFocus?: boolean;
  /** Where it may not be. */
  isOut?: (place: Place) => boolean;
};

/** An account, found by the gateway as one types. The form gets its id. */
export function AccountField({ name, none, usual, autoFocus = false, isOut, ...labels }: Props): ReactNode {
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  const nowhere = none === null ? null : { id: "", path: none };
  const [chosen, setChosen] = useState(usual ?? nowhere);
  /** Null: nothing since the last choice. The form is not sent while a text is left that chooses nothing. */
  const [typed, setTyped] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const { places, note, busy } = usePlaces({ typed, nowhere, isOut: isOut ?? (() => false), open });
  const close = (): void => (setOpen(false), setTyped(null));
  const pick = (place: Place | undefined): void => {
    if (place !== undefined) setChosen(place);
    close();
  };
  const { at, setAt, onKeyDown, input } = useListbox({
    id: list,
    count: places.length,
    // A text that finds nothing stays: what was chosen before it was not meant.
    onPick: (index) => (places[index] !== undefined || !typed?.trim()) && pick(places[index]),
  });
  useEffect(
    () => field.current?.setCustomValidity(typed?.trim() ? "Choose one of the accounts in the list." : ""),
    [typed],
  );
  const leave = (): void => {
    setOpen(false);
    if (typed?.trim() === "") pick(nowhere ?? undefined);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Tab" && typed?.trim() && places[at] !== undefined) return pick(places[at]);
    if (open) return onKeyDown(event);
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    setOpen(true);
  };
  return (
    <Labelled problem={null} {...labels}>
      {(linked) => (
        <Popover.Root
          open={open}
          onOpenChange={(_next, { reason }) => (reason === "escape-key" ? close() : setOpen(false))}
        >
          <input type="hidden" name={name} value={chosen?.id ?? ""} />
          <input
            {...linked}
            {...input}
            role="combobox"
            aria-controls={list}
            ref={field}
            aria-expanded={open}
            aria-busy={busy}
            autoFocus={autoFocus}
            required={none === null}
            maxLength={LONGEST_SEARCH}
            placeholder="Find an account…"
            value={typed ?? chosen?.path ?? ""}
            onClick={() => setOpen(true)}
            onChange={({ target }) => (setTyped(target.value), setAt(0), setOpen(true))}
            onKeyDown={onKey}
            onFocus={({ target }) => target.select()}
            onBlur={leave}
            className={INPUT}
          />
          <Offered anchor={field} note={note}>
            <PlaceList label={labels.label} id={list} places={places} at={at} onHover={setAt} onPick={pick} />
          </Offered>
        </Popover.Root>
      )}
    </Labelled>
  );
}

type OfferedProps = { anchor: RefObject<HTMLInputElement | null>; note: string | null; children: ReactNode };

const Offered = ({ anchor, note, children }: OfferedProps): ReactNode => (
  <Popover.Portal>
    <Popover.Positioner anchor={anchor} sideOffset={4} align="start" className="z-50">
      <Popover.Popup
        initialFocus={false}
        finalFocus={false}
        // A press on it must not take the focus from the input.
        onMouseDown={(event) => event.preventDefault()}
        className={`${FLOATING} max-h-72 w-(--anchor-width) overflow-y-auto p-1`}
      >
        {children}
        <p role="status" className="px-2 py-1.5 text-small text-ink-3 empty:hidden">
          {note}
        </p>
      </Popover.Popup>
    </Popover.Positioner>
  </Popover.Portal>
);

type ListProps = {
  label: string;
  id: string;
  places: readonly Place[];
  at: number;
  onHover: (at: number) => void;
  onPick: (place: Place) => void;
};

const PlaceList = ({ label, id, places, at, onHover, onPick }: ListProps): ReactNode => (
  <div id={id} role="listbox" aria-label={label}>
    {places.map((place, index) => (
      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the keys are heard by the input, which keeps the focus
      <div
        key={place.id}
        id={`${id}-${index}`}
        role="option"
        aria-selected={index === at}
        onPointerMove={() => onHover(index)}
        onClick={() => onPick(place)}
        ref={(element) => void (index === at && element?.scrollIntoView({ block: "nearest" }))}
        className={`flex min-h-8 cursor-default items-center rounded-sm px-2 py-1 wrap-anywhere ${index === at ? "bg-sunken" : ""}`}
      >
        {place.path}
      </div>
    ))}
  </div>
);

type Asked = { typed: string | null; nowhere: Place | null; isOut: (place: Place) => boolean; open: boolean };

function usePlaces({ typed, nowhere, isOut, open }: Asked) {
  const search = useSettled(typed ?? undefined);
  const found = useQuery({
    ...queryOf("GET /admin/v1/accounts", { query: { limit: FEW, ...(search !== undefined && { search }) } }),
    enabled: open,
    placeholderData: keepPreviousData,
  });
  const text = typed?.trim().toLowerCase() ?? "";
  const isBehind = text !== (search ?? "").toLowerCase() || found.isPlaceholderData;
  // While an answer is on its way, of the one before only what fits: Enter must not choose another.
  const accounts = (found.data?.data ?? [])
    .map(({ id, path }): Place => ({ id, path }))
    .filter((place) => !isOut(place) && (!isBehind || place.path.toLowerCase().includes(text)));
  const places = nowhere !== null && text === "" ? [nowhere, ...accounts] : accounts;
  const note =
    found.error !== null
      ? found.error.message
      : places.length === 0
        ? isBehind || found.isPending
          ? "Searching…"
          : "No account has this in its name."
        : found.data?.next == null
          ? null
          : `The first ${FEW} are shown. Type a part of the name.`;
  return { places, note, busy: open && (isBehind || found.isFetching) };
}
