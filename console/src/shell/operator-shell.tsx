import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { call } from "../api/call.ts";
import { tellFailure } from "../parts/toast.tsx";
import type { Found } from "./commands.ts";
import { ConsoleShell } from "./console-shell.tsx";
import { OPERATOR_PAGES } from "../routes/operator-pages.ts";
import { sessionQuery } from "./session.ts";

const HealthBanner = lazy(async () => ({ default: (await import("./health-banner.tsx")).HealthBanner }));
const BuildFooter = lazy(async () => ({ default: (await import("./build-footer.tsx")).BuildFooter }));

/** What stands around every page of operators. */
export function OperatorShell(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  const navigate = useNavigate();
  const signOut = (): void =>
    void call("DELETE /admin/v1/session").then(async () => {
      await navigate({ to: "/sign-in" });
      location.reload();
    }, tellFailure);
  const open = ({ kind, id }: Found): void =>
    void (kind === "key"
      ? navigate({ to: "/keys/$key", params: { key: id } })
      : navigate({ to: "/accounts/$account", params: { account: id } }));
  return (
    <ConsoleShell
      pages={OPERATOR_PAGES}
      reference="Admin API reference"
      openFound={open}
      banner={
        <Suspense>
          <HealthBanner />
        </Suspense>
      }
      actor={session?.actor ?? ""}
      onProfile={() => void navigate({ to: "/profile" })}
      onSignOut={signOut}
      footer={
        <Suspense>
          <BuildFooter />
        </Suspense>
      }
    />
  );
}
