import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { call } from "../../api/call.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { holderWaysInQuery, noteSignedIn } from "../../shell/holder-session.ts";
import { SignInFrame } from "../sign-in/sign-in-frame.tsx";

/** The way in: the identity provider, where there is one, or a key. */
export function KeySignIn({ onDone }: { onDone: () => void }): ReactNode {
  const ways = useQuery(holderWaysInQuery);
  if (ways.data?.sso !== true)
    return (
      <SignInFrame
        title="See your key"
        lead="Paste the key that you were given. It is sent once, and is not kept in this browser."
      >
        <KeyForm look="primary" onDone={onDone} />
      </SignInFrame>
    );
  return (
    <SignInFrame title="Sign in" lead="See what you may spend, what you used, and where you are signed in.">
      <a
        href={`/me/sign-in/oidc?return_to=${encodeURIComponent(location.pathname + location.search)}`}
        onClick={() => noteSignedIn("yes")}
        className="flex h-(--control) items-center justify-center rounded-md bg-accent font-medium text-accent-ink hover:opacity-90"
      >
        Continue with single sign-on
      </a>
      <p className="mt-2 text-small text-ink-2">
        For people who sign in with a client, such as Claude Code. No key needed.
      </p>
      <div aria-hidden="true" className="my-4 flex items-center gap-3 text-small text-ink-3">
        <span className="h-px flex-1 bg-line" />
        or
        <span className="h-px flex-1 bg-line" />
      </div>
      <KeyForm look="plain" onDone={onDone} />
    </SignInFrame>
  );
}

/** The key is posted once and becomes a session that no script can read. [interface decision 39] */
function KeyForm({ look, onDone }: { look: "primary" | "plain"; onDone: () => void }): ReactNode {
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
    <form onSubmit={send} className="flex flex-col gap-3">
      <Field
        label="Key"
        name="key"
        type="password"
        autoComplete="off"
        spellCheck={false}
        required
        autoFocus={look === "primary"}
        placeholder="tgc_…"
        problem={problem}
        {...(look === "plain" && { hint: "It is sent once, and is not kept in this browser." })}
      />
      <Button look={look} type="submit" busy={busy}>
        Open
      </Button>
    </form>
  );
}
