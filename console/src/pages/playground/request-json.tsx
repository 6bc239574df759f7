import type { ReactNode } from "react";
import { curlCommand } from "../../../../src/wire/client-setup/curl.ts";
import { Button } from "../../parts/button.tsx";
import { tell } from "../../parts/toast.tsx";
import type { Format } from "./formats.ts";

type Props = { origin: string; format: Format; body: object };

/** The body that is sent, and the same as a command for a terminal. */
export const RequestJson = ({ origin, format, body }: Props): ReactNode => (
  <div className="flex min-w-0 flex-col gap-1">
    <div className="flex items-center justify-end">
      <Button
        icon="copy"
        onClick={() =>
          void navigator.clipboard
            .writeText(curlCommand({ origin, format, body, streamed: true }))
            .then(() => tell("Copied", "Set TOLLGATE_KEY to your key before you run it."))
        }
      >
        Copy as curl
      </Button>
    </div>
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and the keyboard must reach that
      tabIndex={0}
      aria-label="Request body"
      className="max-h-96 overflow-auto rounded-md bg-sunken p-3 font-mono text-small leading-5 whitespace-pre-wrap"
    >
      {JSON.stringify(body, null, 2)}
    </pre>
  </div>
);
