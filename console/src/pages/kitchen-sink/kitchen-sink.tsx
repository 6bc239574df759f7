import type { ReactNode } from "react";
import { UserMenu } from "../../shell/user-menu.tsx";
import { BarSamples, SeriesSamples, TimeSamples } from "./chart-samples.tsx";
import { FigureSamples, PartSamples, StateSamples } from "./part-samples.tsx";
import { TableSample } from "./table-sample.tsx";

/** Every component in every state, with numbers that are made up. */
export const KitchenSink = (): ReactNode => (
  <div className="mx-auto max-w-[1600px] px-3 sm:px-5">
    <header className="flex h-12 items-center justify-between">
      <h1 className="text-page font-semibold">Kitchen sink</h1>
      <UserMenu actor="ann@acme.example" onProfile={() => {}} onSignOut={() => {}} />
    </header>
    <main className="flex flex-col gap-6 pb-12">
      <Part title="Figures">
        <div className="col-span-full">
          <FigureSamples />
        </div>
      </Part>
      <Part title="Over time">
        <SeriesSamples />
      </Part>
      <Part title="How long">
        <TimeSamples />
      </Part>
      <Part title="Shares and counters">
        <BarSamples />
      </Part>
      <Part title="States">
        <StateSamples />
      </Part>
      <Part title="Parts">
        <PartSamples />
      </Part>
      <Part title="A list">
        <div className="col-span-full">
          <TableSample />
        </div>
      </Part>
    </main>
  </div>
);

const Part = ({ title, children }: { title: string; children: ReactNode }): ReactNode => (
  <section aria-label={title}>
    <h2 className="mb-2 text-small font-medium text-ink-2">{title}</h2>
    <div className="grid gap-4 *:min-w-0 lg:grid-cols-2">{children}</div>
  </section>
);
