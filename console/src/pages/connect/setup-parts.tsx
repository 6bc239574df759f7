import type { ReactNode } from "react";
import type { SetupPart } from "../../../../src/wire/client-setup/setup.ts";
import { Button } from "../../parts/button.tsx";
import { tell } from "../../parts/toast.tsx";

/** The texts of a client's settings, each with the place it belongs in and a button that copies it. */
export const SetupParts = ({ client, parts }: { client: string; parts: readonly SetupPart[] }): ReactNode => (
  <ol className="flex min-w-0 flex-col gap-3">
    {parts.map(({ place, text }) => (
      <li key={place} className="min-w-0">
        <div className="mb-1 flex items-end justify-between gap-3">
          <span className="min-w-0 font-medium wrap-anywhere">{place}</span>
          <Button
            icon="copy"
            look="quiet"
            aria-label={`Copy: ${place}`}
            className="h-7! shrink-0"
            onClick={() => void navigator.clipboard.writeText(text).then(() => tell("Copied"))}
          >
            Copy
          </Button>
        </div>
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and the keyboard must reach that
          tabIndex={0}
          aria-label={`${client}: ${place}`}
          className="overflow-x-auto rounded-md bg-sunken p-3 font-mono text-small leading-5"
        >
          {text}
        </pre>
      </li>
    ))}
  </ol>
);
