import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../api/call.ts";
import { Failure, Skeleton } from "../parts/state.tsx";
import { tellFailure } from "../parts/toast.tsx";
import { KeySignIn } from "../pages/my-key/key-sign-in.tsx";
import { ConsoleShell } from "./console-shell.tsx";
import { HOLDER_PAGES, personPages } from "../routes/holder-pages.ts";
import { meQuery, noteSignedIn } from "./holder-session.ts";
import { isSignedOut } from "./session.ts";

const EVERY_MS = 10_000;

/** What stands around every page of a key holder. Whoever is signed out is let in in place. */
export function HolderShell(): ReactNode {
  const client = useQueryClient();
  const me = useQuery({ ...meQuery, refetchInterval: ({ state }) => (state.status === "error" ? false : EVERY_MS) });
  const enter = (word: "yes" | "no"): void => {
    noteSignedIn(word);
    void client.resetQueries();
  };
  if (me.error && isSignedOut(me.error)) return <KeySignIn onDone={() => enter("yes")} />;
  if (me.data === undefined)
    return (
      <main className="mx-auto max-w-3xl p-5">
        {me.error ? (
          <Failure error={me.error} height={320} retry={() => void me.refetch()} />
        ) : (
          <Skeleton height={320} />
        )}
      </main>
    );
  const { person, key } = me.data;
  const signOut = (): void => void call("DELETE /me/session").then(() => enter("no"), tellFailure);
  return (
    <ConsoleShell
      pages={person === null ? HOLDER_PAGES : personPages()}
      reference="API reference"
      openFound={null}
      actor={person?.name ?? key.label ?? `${key.prefix}…`}
      onSignOut={signOut}
    />
  );
}
