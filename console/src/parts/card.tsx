import type { ReactNode } from "react";

type Props = { title?: string; lead?: ReactNode; actions?: ReactNode; children: ReactNode; className?: string };

/** A group on the page: a hairline, no shadow. */
export const Card = ({ title, lead, actions, children, className = "" }: Props): ReactNode => (
  <section className={`min-w-0 rounded-lg border border-line bg-surface p-4 ${className}`} aria-label={title}>
    {title !== undefined && (
      <header className="mb-3 flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 className="text-title font-semibold">{title}</h2>
          {lead !== undefined && <p className="text-ink-2">{lead}</p>}
        </div>
        {actions}
      </header>
    )}
    {children}
  </section>
);
