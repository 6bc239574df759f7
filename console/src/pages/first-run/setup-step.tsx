import { Fragment, type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { tell } from "../../parts/toast.tsx";

type Props = {
  number: number;
  title: string;
  /** What there is already; null: nothing. */
  done: ReactNode | null;
  isOpen: boolean;
  /** Null: it can't be opened yet, or there is nothing in it. */
  onOpen: (() => void) | null;
  children: ReactNode;
};

/** One step: a line while it is closed, with what it brought; its form while it is open. */
export function SetupStep({ number, title, done, isOpen, onOpen, children }: Props): ReactNode {
  const id = useId();
  const head = useOpenedFocus(isOpen);
  const mark = done === null ? "border border-edge text-ink-2" : "bg-accent text-accent-ink";
  return (
    <li
      aria-current={isOpen ? "step" : undefined}
      className={`min-w-0 rounded-lg border bg-surface ${isOpen ? "border-edge" : "border-line"}`}
    >
      <section aria-labelledby={id}>
        <header className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
          <span
            className={`flex size-6 shrink-0 items-center justify-center rounded-full text-small font-semibold ${mark}`}
          >
            {done === null ? number : <Icon name="check" size={14} />}
          </span>
          <h2
            id={id}
            ref={head}
            tabIndex={-1}
            className={`scroll-mt-20 text-title font-semibold outline-none ${done === null && !isOpen ? "text-ink-2" : ""}`}
          >
            {title}
            <span className="sr-only">{done === null ? " (to do)" : " (done)"}</span>
          </h2>
          {!isOpen && done !== null && (
            <div className="order-last min-w-0 basis-full truncate pl-9 text-ink-2 sm:order-none sm:flex-1 sm:pl-0">
              {done}
            </div>
          )}
          {!isOpen && onOpen !== null && (
            <Button className="ml-auto" aria-label={`Open: ${title}`} onClick={onOpen}>
              Open
            </Button>
          )}
        </header>
        {isOpen && <div className="border-t border-line p-4">{children}</div>}
      </section>
    </li>
  );
}

/** Whoever goes on to a step is taken there, also with the keyboard. */
function useOpenedFocus(isOpen: boolean) {
  const head = useRef<HTMLHeadingElement>(null);
  const before = useRef(isOpen);
  useEffect(() => {
    if (isOpen && !before.current) head.current?.focus();
    before.current = isOpen;
  }, [isOpen]);
  return head;
}

/** What is done here, and beside it the commands that do the same. */
export const Beside = ({ commands, children }: { commands: readonly string[]; children: ReactNode }): ReactNode => (
  <div className="grid gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,22rem)]">
    <div className="flex min-w-0 flex-col gap-4">{children}</div>
    <aside aria-label="The same by command" className="min-w-0">
      <h3 className="mb-1 text-small text-ink-2">The same by command</h3>
      <CommandLines lines={commands} />
    </aside>
  </div>
);

const CommandLines = ({ lines }: { lines: readonly string[] }): ReactNode => (
  <ul className="flex flex-col gap-2">
    {lines.map((line) => (
      <li key={line} className="flex items-start gap-1 rounded-md bg-sunken py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 py-1 font-mono text-small leading-5">
          {line.split(" ").map((word, index) => (
            // A line is broken between words only, not after the hyphens of an option.
            <Fragment key={index}>
              {index > 0 && " "}
              <span className="inline-block max-w-full wrap-anywhere">{word}</span>
            </Fragment>
          ))}
        </code>
        <Button
          look="quiet"
          icon="copy"
          className="h-7! px-1.5!"
          aria-label={`Copy the command ${line.split(" ").slice(0, 3).join(" ")}`}
          onClick={() => void navigator.clipboard.writeText(line).then(() => tell("Copied"))}
        />
      </li>
    ))}
  </ul>
);

export const Problem = ({ text }: { text: string | null }): ReactNode =>
  text !== null && (
    <p role="alert" className="rounded-sm bg-bad-soft px-2 py-1 text-small text-bad">
      {text}
    </p>
  );
