import type { ReactNode } from "react";
import type { Turn } from "./formats.ts";
import { isRunning, type Run } from "./run.ts";
import { useFollow } from "./use-follow.ts";

type Props = { turns: readonly Turn[]; run: Run | null };

/** What was said, and what is being answered. It follows the answer as long as its reader has not scrolled up. */
export function Conversation({ turns, run }: Props): ReactNode {
  const box = useFollow<HTMLDivElement>((run?.text.length ?? 0) + (run?.reasoning.length ?? 0) + turns.length);
  return (
    <div
      ref={box}
      role="log"
      aria-label="Conversation"
      aria-live="off"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and the keyboard must reach that
      tabIndex={0}
      className="flex max-h-[52vh] min-h-48 flex-col gap-3 overflow-y-auto p-4"
    >
      {turns.length === 0 && run === null && (
        <p className="m-auto max-w-prose text-center text-ink-2">
          Write a prompt and press Ctrl Enter. Each request is charged to your key as a request of any other client is.
          Nothing of it is kept, here or in the gateway.
        </p>
      )}
      {turns.map(({ role, text }, index) => (
        <Said key={index} who={role === "user" ? "You" : "Model"} text={text} />
      ))}
      {run !== null && isRunning(run) && (
        <>
          {run.reasoning !== "" && <Said who="Reasoning" text={run.reasoning} quiet />}
          <Said who="Model" text={run.text === "" && run.reasoning === "" ? "…" : run.text} />
        </>
      )}
    </div>
  );
}

const Said = ({ who, text, quiet = false }: { who: string; text: string; quiet?: boolean }): ReactNode => (
  <div className="min-w-0">
    <p className="text-small font-medium text-ink-3">{who}</p>
    <p className={`wrap-anywhere whitespace-pre-wrap ${quiet ? "text-ink-2" : ""}`}>{text}</p>
  </div>
);
