import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { ApiError, call } from "../../api/call.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Skeleton } from "../../parts/state.tsx";
import { waysInQuery } from "../../shell/session.ts";
import { SignInFrame } from "./sign-in-frame.tsx";

/** The way in for operators: a password, the identity provider, or the token of the first start. */
export function SignIn(): ReactNode {
  const client = useQueryClient();
  const { back = "/" } = useSearch({ from: "/sign-in" });
  const ways = useQuery(waysInQuery);
  const isFirst = ways.data?.setup === true;
  const goOn = (): void => {
    client.clear();
    location.assign(`/console${isFirst ? "/first-run" : ownPath(back)}`);
  };
  return (
    <SignInFrame
      title={isFirst ? "Set up Tollgate" : "Sign in"}
      lead={
        isFirst
          ? "You are the first. Make yourself the owner with the setup token that the gateway printed when it started."
          : "For operators of this gateway."
      }
    >
      {ways.isPending ? (
        <Skeleton height={168} />
      ) : isFirst ? (
        <SetUpForm onDone={goOn} />
      ) : (
        <PasswordForm onDone={goOn} />
      )}
      {ways.data?.sso === true && (
        <a
          href={`/admin/v1/sign-in/oidc?return_to=${encodeURIComponent(`/console${ownPath(back)}`)}`}
          className="mt-3 flex h-(--control) items-center justify-center rounded-md border border-edge/60 font-medium hover:bg-sunken"
        >
          Continue with single sign-on
        </a>
      )}
    </SignInFrame>
  );
}

/** A path of this console; anything else leads to its first page. */
export const ownPath = (back: string): string => (/^\/(?![/\\])/.test(back) ? back : "/");

function PasswordForm({ onDone }: { onDone: () => void }): ReactNode {
  const { send, busy, problemOf } = useSend(onDone, (given) =>
    call("POST /admin/v1/session", { body: { email: given("email"), password: given("password") } }),
  );
  return (
    <form onSubmit={send} className="flex flex-col gap-3">
      <Field
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        required
        autoFocus
        problem={problemOf("email")}
      />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        problem={problemOf(null)}
      />
      <Button look="primary" type="submit" busy={busy}>
        Sign in
      </Button>
    </form>
  );
}

function SetUpForm({ onDone }: { onDone: () => void }): ReactNode {
  const [email, setEmail] = useState("");
  const { send, busy, problemOf } = useSend(onDone, (given) =>
    call("POST /admin/v1/setup", {
      body: { token: given("token"), email: given("email"), password: given("password") },
    }),
  );
  return (
    <form onSubmit={send} className="flex flex-col gap-3">
      <Field
        label="Setup token"
        name="token"
        autoComplete="off"
        required
        autoFocus
        problem={problemOf("token")}
        hint="Valid for a day. A restart prints another."
      />
      <Field
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={({ target }) => setEmail(target.value)}
        problem={problemOf("email")}
      />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={12}
        required
        problem={problemOf(null)}
        hint="At least 12 characters."
      />
      <Button look="primary" type="submit" busy={busy}>
        Make me the owner
      </Button>
      <div className="min-w-0 text-small text-ink-2">
        The same by command:
        <CopyText text={`tollgate people add ${email || "EMAIL"} --role owner --password`} />
      </div>
    </form>
  );
}

/** Sends a form, and says under which field its refusal belongs; null: under the last one. */
function useSend(onDone: () => void, act: (given: (name: string) => string) => Promise<unknown>) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    act((name) => String(form.get(name) ?? ""))
      .then(onDone, setFailure)
      .finally(() => setBusy(false));
  };
  const problemOf = (field: string | null): string | null => {
    const param = failure instanceof ApiError ? failure.param : null;
    const isHere = field === null ? !["email", "token"].includes(param ?? "") : param === field;
    return failure !== null && isHere ? failure.message : null;
  };
  return { send, busy, problemOf };
}
