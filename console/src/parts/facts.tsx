import type { ReactNode } from "react";

/** Properties of one thing, a line each. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }): ReactNode => (
  <dl className="grid grid-cols-[minmax(96px,auto)_minmax(0,1fr)] gap-x-4 gap-y-2">
    {facts.map(([name, value]) => (
      <div key={name} className="contents">
        <dt className="text-ink-2">{name}</dt>
        <dd className="min-w-0 break-words">{value}</dd>
      </div>
    ))}
  </dl>
);
