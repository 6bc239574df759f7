import type { ReactNode } from "react";
import { ApiError } from "../api/call.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { CopyText } from "./copy-text.tsx";

/** What a chart, a list or a page has to show, other than its data. */
export type Shown =
  | { kind: "ready" }
  | { kind: "loading" }
  | { kind: "empty"; title: string; hint?: ReactNode; command?: string }
  | { kind: "error"; error: Error; retry?: () => void }
  /** Shown, but not all of it is there: the note says what is missing. */
  | { kind: "partial"; note: string }
  /** Shown, but not all of it: the note says how much, and how to see the rest. */
  | { kind: "too-many"; note: string };

export const READY: Shown = { kind: "ready" };

/** Draws the data under its state: in place of it, or with a note above it. */
export function Stateful({
  shown,
  height,
  children,
}: {
  shown: Shown;
  height: number;
  children: ReactNode;
}): ReactNode {
  switch (shown.kind) {
    case "ready":
      return children;
    case "loading":
      return <Skeleton height={height} />;
    case "empty":
      return <Blank icon="info" title={shown.title} height={height} hint={shown.hint} command={shown.command} />;
    case "error":
      return <Failure error={shown.error} retry={shown.retry} height={height} />;
    case "partial":
    case "too-many":
      return (
        <>
          <Note icon={shown.kind === "partial" ? "clock" : "warn"}>{shown.note}</Note>
          {children}
        </>
      );
  }
}

/** Bars where rows or marks will be, so that nothing moves when they come. */
export function Skeleton({ height }: { height: number }): ReactNode {
  const bars = [64, 82, 48, 90, 72, 56, 84, 40];
  return (
    <div role="status" className="flex items-end gap-2 overflow-hidden" style={{ height }}>
      <span className="sr-only">Loading…</span>
      {bars.map((share, index) => (
        <div key={index} className="skeleton flex-1 rounded-sm bg-sunken" style={{ height: `${share}%` }} />
      ))}
    </div>
  );
}

export const Note = ({ icon, children }: { icon: IconName; children: ReactNode }): ReactNode => (
  <p className="mb-2 flex items-center gap-1.5 rounded-sm bg-warn-soft px-2 py-1 text-small text-warn">
    <Icon name={icon} size={14} />
    <span>{children}</span>
  </p>
);

type Empty = { icon: IconName; title: string; height: number; hint?: ReactNode; command?: string | undefined };

const Blank = ({ icon, title, hint, command, height }: Empty): ReactNode => (
  <div className="flex flex-col items-center justify-center gap-1 px-4 text-center" style={{ minHeight: height }}>
    <span className="text-ink-3">
      <Icon name={icon} size={20} />
    </span>
    <p className="font-medium">{title}</p>
    {hint !== undefined && <p className="max-w-prose text-ink-2">{hint}</p>}
    {command !== undefined && <CopyText text={command} />}
  </div>
);

/** What the gateway said, with its number and its fix, and where to find it in the log. */
export function Failure({
  error,
  retry,
  height,
}: {
  error: Error;
  retry?: (() => void) | undefined;
  height: number;
}): ReactNode {
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div
      role="alert"
      className="flex flex-col items-center justify-center gap-1 px-4 text-center"
      style={{ minHeight: height }}
    >
      <span className="text-bad">
        <Icon name="warn" size={20} />
      </span>
      <p className="font-medium">{titleOf(error)}</p>
      <p className="max-w-prose text-ink-2">{error.message}</p>
      <div className="mt-1 flex flex-wrap items-center justify-center gap-2">
        {requestId !== null && <CopyText text={requestId} />}
        {retry && (
          <Button icon="retry" onClick={retry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}

function titleOf(error: Error): string {
  if (!(error instanceof ApiError)) return "This part of the console failed";
  return error.status > 0 ? `${error.status} ${error.code}` : "No answer";
}
