import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Skeleton, Failure } from "../../parts/state.tsx";
import { tellFailure } from "../../parts/toast.tsx";
import { Brand } from "../../shell/brand.tsx";
import { isSignedOut } from "../../shell/session.ts";
import { KeySignIn } from "./key-sign-in.tsx";
import { HolderLimits } from "./holder-limits.tsx";

/** The page of whoever holds a key: what it has, what is reserved, what is left. */
export function MyKey(): ReactNode {
  const client = useQueryClient();
  const me = useQuery({
    queryKey: ["me"],
    queryFn: ({ signal }) => call("GET /me", { signal }),
    retry: false,
    refetchInterval: 10_000,
  });
  if (me.error && isSignedOut(me.error)) return <KeySignIn onDone={() => void client.resetQueries()} />;
  const signOut = (): void => void call("DELETE /me/session").then(() => client.resetQueries(), tellFailure);
  return (
    <div className="min-h-dvh">
      <header className="flex h-12 items-center justify-between border-b border-line px-5">
        <Brand />
        <Button look="quiet" icon="leave" onClick={signOut}>
          Sign out
        </Button>
      </header>
      <main className="mx-auto flex max-w-3xl flex-col gap-4 px-3 py-5 sm:px-5">
        {me.error && <Failure error={me.error} height={200} retry={() => void me.refetch()} />}
        {me.isPending && <Skeleton height={200} />}
        {me.data && (
          <>
            <div>
              <h1 className="text-page font-semibold">{me.data.key.label ?? "My key"}</h1>
              <p className="text-ink-2">
                <code className="font-mono text-small">{me.data.key.prefix}…</code> · {me.data.key.status}
              </p>
            </div>
            <Card title="What can I still spend?" lead={me.data.explanation}>
              <HolderLimits limits={me.data.limits} />
            </Card>
          </>
        )}
      </main>
    </div>
  );
}
