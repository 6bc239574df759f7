import type { ReactNode } from "react";
import { Icon } from "../../parts/icon.tsx";

type Props = { steps: readonly string[]; at: number; onPick: (step: number) => void };

/** Where one is. Steps that are done can be opened again. */
export const StepList = ({ steps, at, onPick }: Props): ReactNode => (
  <ol className="grid grid-cols-4 gap-2" aria-label="Steps">
    {steps.map((step, index) => (
      <li key={step} aria-current={index === at ? "step" : undefined}>
        <button
          type="button"
          disabled={index >= at}
          onClick={() => onPick(index)}
          className={`flex w-full flex-col gap-1 border-t-2 pt-2 text-left text-small ${index <= at ? "border-accent" : "border-line"} ${index === at ? "font-medium text-ink" : "text-ink-2"}`}
        >
          <span className="flex items-center gap-1">
            {index < at ? <Icon name="check" size={14} /> : `${index + 1}.`}
            <span className="sr-only sm:not-sr-only">{step}</span>
          </span>
        </button>
      </li>
    ))}
  </ol>
);
