import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useState } from "react";
import { Icon } from "../parts/icon.tsx";
import { useListbox } from "../parts/use-listbox.ts";
import { LONGEST_SEARCH } from "../parts/use-settled.ts";
import { type Command, type CommandParts, findCommands, useCommands } from "./commands.ts";
import { useFound } from "./use-found.ts";

const LIST = "palette-list";

type Props = CommandParts & { open: boolean; onOpenChange: (open: boolean) => void };

/** Everything by its name: Ctrl K or ⌘K, some letters, Enter. */
export function Palette({ open, onOpenChange, ...of }: Props): ReactNode {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-veil" />
        <Dialog.Popup
          aria-label="Find a page or an action"
          className="popup fixed inset-x-0 top-[12vh] z-40 mx-auto w-[min(560px,calc(100vw-24px))] overflow-hidden rounded-lg border border-line bg-raised shadow-float"
        >
          <Search of={of} onDone={() => onOpenChange(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Search({ of, onDone }: { of: CommandParts; onDone: () => void }): ReactNode {
  const [query, setQuery] = useState("");
  const more = useFound(of.openFound, query);
  const found = [...findCommands(useCommands(of), query), ...more.commands];
  const title = of.openFound === null ? "Find a page or an action" : "Find a page, a key or an account";
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onDone();
    command.run();
  };
  const { at, setAt, onKeyDown, optionId, input } = useListbox({
    id: LIST,
    count: found.length,
    onPick: (index) => run(found[index]),
  });
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-3 text-ink-3">
        <Icon name="search" />
        <input
          autoFocus
          {...input}
          role="combobox"
          aria-controls={LIST}
          aria-expanded="true"
          aria-label={title}
          aria-busy={more.isWaiting}
          placeholder={title}
          maxLength={LONGEST_SEARCH}
          value={query}
          onChange={({ target }) => (setQuery(target.value), setAt(0))}
          onKeyDown={onKeyDown}
          className="h-11 flex-1 bg-transparent text-title text-ink outline-none placeholder:text-ink-3"
        />
      </div>
      <div id={LIST} role="listbox" aria-label="Found" className="max-h-[50vh] overflow-y-auto p-1">
        {found.map((command, index) => (
          <Found
            key={command.id}
            command={command}
            id={optionId(index)}
            chosen={index === at}
            onHover={() => setAt(index)}
            onPick={() => run(command)}
          />
        ))}
      </div>
      <p role="status" className="px-4 pb-3 text-ink-2 empty:hidden">
        {more.error !== null
          ? `Keys and accounts can't be searched: ${more.error.message}`
          : found.length === 0 &&
            (more.isWaiting ? "Searching…" : `Nothing is called “${query}”. Try the name of a page, or “dark”.`)}
      </p>
    </>
  );
}

type FoundParts = { command: Command; id: string; chosen: boolean; onHover: () => void; onPick: () => void };

const Found = ({ command, id, chosen, onHover, onPick }: FoundParts): ReactNode => (
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the keys are heard by the input, which keeps the focus
  <div
    id={id}
    role="option"
    aria-selected={chosen}
    onPointerMove={onHover}
    onClick={onPick}
    ref={(element) => void (chosen && element?.scrollIntoView({ block: "nearest" }))}
    className={`flex h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 ${chosen ? "bg-sunken" : ""}`}
  >
    <span className="text-ink-3">
      <Icon name={command.icon} />
    </span>
    <span className="min-w-0 flex-1 truncate">
      {command.title}
      {command.note && <span className="ml-2 text-small text-ink-3">{command.note}</span>}
    </span>
    <span className="text-small text-ink-3">{command.group}</span>
  </div>
);
