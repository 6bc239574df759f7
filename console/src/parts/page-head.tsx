import { createLink } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";

type Props = { back: ReactNode; title: ReactNode; lead?: ReactNode; actions?: ReactNode };

/** What a page is about, the way back to the list it came from, and what can be done. */
export const PageHead = ({ back, title, lead, actions }: Props): ReactNode => (
  <header className="flex flex-wrap items-end justify-between gap-3">
    <div className="min-w-0">
      {back}
      <h2 className="flex flex-wrap items-center gap-2 text-page font-semibold break-words">{title}</h2>
      {lead !== undefined && <div className="text-ink-2">{lead}</div>}
    </div>
    {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
  </header>
);

/** The link to that list. */
export const BackLink = createLink(({ children, ...link }: ComponentProps<"a">) => (
  <a {...link} className="text-small text-accent hover:underline">
    ← {children}
  </a>
));
