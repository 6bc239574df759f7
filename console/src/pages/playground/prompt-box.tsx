import { type FormEvent, type KeyboardEvent, type ReactNode, useRef } from "react";
import { Button } from "../../parts/button.tsx";
import { INPUT } from "../../parts/field.tsx";

type Props = {
  text: string;
  onText: (text: string) => void;
  busy: boolean;
  onSend: (text: string) => void;
  onStop: () => void;
  children: ReactNode;
};

/** The prompt and its settings. Ctrl Enter or ⌘ Enter sends; Escape stops what runs. */
export function PromptBox({ text, onText, busy, onSend, onStop, children }: Props): ReactNode {
  const form = useRef<HTMLFormElement>(null);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (busy || text.trim() === "") return;
    onSend(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) form.current?.requestSubmit();
    else if (event.key === "Escape" && busy) onStop();
    else return;
    event.preventDefault();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of every field in it: send and stop
    <form ref={form} onSubmit={send} onKeyDown={onKeyDown} className="flex flex-col gap-3 border-t border-line p-4">
      {children}
      <div className="flex items-end gap-2">
        <textarea
          aria-label="Prompt"
          placeholder="Your prompt"
          rows={3}
          value={text}
          onChange={({ target }) => onText(target.value)}
          className={`${INPUT} h-auto! py-1.5`}
        />
        {busy ? (
          <Button look="danger" icon="stop" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button look="primary" icon="play" type="submit" disabled={text.trim() === ""}>
            Send
          </Button>
        )}
      </div>
    </form>
  );
}
