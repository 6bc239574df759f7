import { type ComponentProps, type ReactNode, useId } from "react";

export type Labels = { label: string; hint?: ReactNode; problem?: string | null };

export const INPUT =
  "h-(--control) w-full rounded-md border border-edge bg-surface px-2.5 text-body text-ink placeholder:text-ink-3 aria-invalid:border-bad";

/** An input with its label above it and, below it, what is expected or what is wrong. */
export const Field = ({ label, hint, problem = null, ...rest }: Labels & ComponentProps<"input">): ReactNode => (
  <Labelled label={label} hint={hint} problem={problem}>
    {(linked) => <input {...rest} {...linked} className={INPUT} />}
  </Labelled>
);

export type SelectOption = { value: string; name: string };

/** One of a few. */
export const SelectField = ({
  label,
  hint,
  problem = null,
  options,
  ...rest
}: Labels & ComponentProps<"select"> & { options: readonly SelectOption[] }): ReactNode => (
  <Labelled label={label} hint={hint} problem={problem}>
    {(linked) => (
      <select {...rest} {...linked} className={INPUT}>
        {options.map(({ value, name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Labelled>
);

/** Several lines, one thing on each. */
export const LinesField = ({
  label,
  hint,
  problem = null,
  ...rest
}: Labels & ComponentProps<"textarea">): ReactNode => (
  <Labelled label={label} hint={hint} problem={problem}>
    {(linked) => (
      <textarea
        rows={5}
        spellCheck={false}
        {...rest}
        {...linked}
        className={`${INPUT} h-auto! py-1.5 font-mono text-small`}
      />
    )}
  </Labelled>
);

type Linked = { id: string; "aria-invalid": boolean; "aria-describedby": string | undefined };

export function Labelled({
  label,
  hint,
  problem,
  children,
}: Labels & { problem: string | null; children: (linked: Linked) => ReactNode }): ReactNode {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, "aria-invalid": problem !== null, "aria-describedby": note ? `${id}-note` : undefined })}
      {note && (
        <p id={`${id}-note`} className={`text-small ${problem === null ? "text-ink-3" : "text-bad"}`}>
          {note}
        </p>
      )}
    </div>
  );
}
