import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

type Props = { back: string; backTo: string; title: ReactNode; lead?: ReactNode; actions?: ReactNode };

/** What a page is about, the way back to the list it came from, and what can be done. */
export const PageHead = ({ back, backTo, title, lead, actions }: Props): ReactNode => (
  <header className="flex flex-wrap items-end justify-between gap-3">
    <div className="min-w-0">
      <Link to={backTo as never} className="text-small text-accent hover:underline">
        ← {back}
      </Link>
      <h2 className="flex flex-wrap items-center gap-2 text-page font-semibold break-words">{title}</h2>
      {lead !== undefined && <div className="text-ink-2">{lead}</div>}
    </div>
    {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
  </header>
);
