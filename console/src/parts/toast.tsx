import { type ReactNode, useSyncExternalStore } from "react";
import { IconButton } from "./button.tsx";

type Toast = { id: number; title: string; text: string; bad: boolean };

const SHOWN_MS = 5000;
const MOST = 4;
let toasts: readonly Toast[] = [];
let made = 0;
const listeners = new Set<() => void>();

function put(next: readonly Toast[]): void {
  toasts = next.slice(-MOST);
  for (const listener of listeners) listener();
}

const close = (id: number): void => put(toasts.filter((toast) => toast.id !== id));

/** Says from anywhere what became of something. */
export function tell(title: string, text = ""): void {
  made += 1;
  const id = made;
  put([...toasts, { id, title, text, bad: false }]);
  setTimeout(() => close(id), SHOWN_MS);
}

/** What went wrong stays until it is closed. */
export function tellFailure(error: Error): void {
  made += 1;
  put([...toasts, { id: made, title: "Not done", text: error.message, bad: true }]);
}

const listen = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Read aloud as they come: at once what went wrong, the rest when there is a pause. */
export function Toasts(): ReactNode {
  const shown = useSyncExternalStore(listen, () => toasts);
  return (
    <div className="fixed right-4 bottom-4 z-50 flex w-[min(360px,calc(100vw-32px))] flex-col gap-2" aria-live="polite">
      {shown.map(({ id, title, text, bad }) => (
        <div
          key={id}
          role={bad ? "alert" : "status"}
          className={`toast relative rounded-md border bg-raised p-3 pr-11 shadow-float ${bad ? "border-bad" : "border-line"}`}
        >
          <p className="font-medium">{title}</p>
          {text !== "" && <p className="text-ink-2">{text}</p>}
          <div className="absolute top-1.5 right-1.5">
            <IconButton label="Close" icon="close" onClick={() => close(id)} />
          </div>
        </div>
      ))}
    </div>
  );
}
