import type { ReactNode } from "react";

type Props = {
  label: string;
  value: string | undefined;
  choices: readonly { value: string | undefined; name: string }[];
  onChoose: (value: string | undefined) => void;
};

/** One of a few that are asked for most, all in sight. */
export const Choice = ({ label, value, choices, onChoose }: Props): ReactNode => (
  <div role="group" aria-label={label} className="flex rounded-md bg-sunken p-0.5">
    {choices.map((choice) => (
      <button
        key={choice.name}
        type="button"
        aria-pressed={value === choice.value}
        onClick={() => onChoose(choice.value)}
        className="h-7 rounded-sm px-2.5 text-small font-medium whitespace-nowrap text-ink-2 aria-pressed:bg-surface aria-pressed:text-ink aria-pressed:shadow-[0_0_0_1px_var(--edge)]"
      >
        {choice.name}
      </button>
    ))}
  </div>
);
