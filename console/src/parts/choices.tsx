import type { ReactNode } from "react";

type Props<Value extends string> = {
  label: string;
  value: Value;
  choices: readonly Value[];
  onChoose: (value: Value) => void;
};

/** One of a few, all in sight. */
export const Choices = <Value extends string>({ label, value, choices, onChoose }: Props<Value>): ReactNode => (
  <div role="group" aria-label={label} className="mr-1 hidden rounded-md bg-sunken p-0.5 text-small sm:flex">
    {choices.map((choice) => (
      <button
        key={choice}
        type="button"
        aria-pressed={choice === value}
        onClick={() => onChoose(choice)}
        className={`h-6 rounded-sm px-2 ${choice === value ? "bg-accent-soft font-medium text-accent" : "text-ink-2 hover:text-ink"}`}
      >
        {choice}
      </button>
    ))}
  </div>
);
