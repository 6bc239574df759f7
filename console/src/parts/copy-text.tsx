import { type ReactNode, useState } from "react";
import { Icon } from "./icon.tsx";

/** A text to be used elsewhere: an id, a command. */
export function CopyText({ text }: { text: string }): ReactNode {
  const [copied, setCopied] = useState(false);
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={copied ? `Copied ${text}` : `Copy ${text}`}
      className="inline-flex max-w-full items-center gap-1.5 rounded-sm bg-sunken px-2 py-1 font-mono text-small text-ink hover:text-accent"
    >
      <span className="truncate">{text}</span>
      <Icon name={copied ? "check" : "copy"} size={14} />
    </button>
  );
}
