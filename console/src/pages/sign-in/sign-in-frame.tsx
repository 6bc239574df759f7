import type { ReactNode } from "react";
import { Brand } from "../../shell/brand.tsx";

/** A form in the middle of an empty page. */
export const SignInFrame = ({
  title,
  lead,
  children,
}: {
  title: string;
  lead: string;
  children: ReactNode;
}): ReactNode => (
  <main className="flex min-h-dvh flex-col items-center justify-center gap-6 p-4">
    <Brand />
    <section className="w-full max-w-sm rounded-lg border border-line bg-surface p-6">
      <h1 className="text-page font-semibold">{title}</h1>
      <p className="mt-1 mb-4 text-ink-2">{lead}</p>
      {children}
    </section>
  </main>
);
