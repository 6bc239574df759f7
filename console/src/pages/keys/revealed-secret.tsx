import { type ReactNode, useState } from "react";
import { saveFile } from "../../format/csv.ts";
import { Button } from "../../parts/button.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Note } from "../../parts/state.tsx";
import { KeySnippets } from "./key-snippets.tsx";

type Props = {
  secret: string;
  of: { mode: "credit" | "token_budget"; label: string | null; models: readonly string[] | null };
  onSaved: () => void;
};

/** The secret, once: it is in no answer after this one. Kept in the memory of this page alone. */
export function RevealedSecret({ secret, of, onSaved }: Props): ReactNode {
  const [saved, setSaved] = useState(false);
  return (
    <div className="flex flex-col gap-4">
      <div>
        <Note icon="warn">Save this secret now; it won’t be shown again.</Note>
        <div className="flex flex-wrap items-center gap-2">
          <CopyText text={secret} />
          <Button icon="download" onClick={() => saveFile("tollgate.env", `TOLLGATE_KEY=${secret}\n`, "text/plain")}>
            Save as .env
          </Button>
        </div>
      </div>
      <KeySnippets secret={secret} mode={of.mode} models={of.models} />
      <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line pt-3">
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={saved}
            onChange={({ target }) => setSaved(target.checked)}
            className="size-4 accent-accent"
          />
          I have saved the secret
        </label>
        <Button look="primary" disabled={!saved} onClick={onSaved}>
          Done
        </Button>
      </div>
    </div>
  );
}
