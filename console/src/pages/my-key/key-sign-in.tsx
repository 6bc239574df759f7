import { type FormEvent, type ReactNode, useState } from "react";
import { call } from "../../api/call.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { SignInFrame } from "../sign-in/sign-in-frame.tsx";

/** The key is posted once and becomes a session that no script can read. [interface decision 39] */
export function KeySignIn({ onDone }: { onDone: () => void }): ReactNode {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const key = String(new FormData(form).get("key") ?? "");
    setBusy(true);
    call("POST /me/session", { body: { key } })
      .then(onDone, (error: Error) => setProblem(error.message))
      .finally(() => {
        form.reset();
        setBusy(false);
      });
  };
  return (
    <SignInFrame
      title="See your key"
      lead="Paste the key that you were given. It is sent once, and is not kept in this browser."
    >
      <form onSubmit={send} className="flex flex-col gap-3">
        <Field
          label="Key"
          name="key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          autoFocus
          placeholder="tgc_…"
          problem={problem}
        />
        <Button look="primary" type="submit" busy={busy}>
          Open
        </Button>
      </form>
    </SignInFrame>
  );
}
