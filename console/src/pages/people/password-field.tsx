import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";

type Props = {
  label: string;
  hint: string;
  problem: string | null;
  value: string;
  onType: (value: string) => void;
  required?: boolean;
  autoFocus?: boolean;
};

/** A password for somebody else: it is in sight, because it is handed on, and can be made up. */
export const PasswordField = ({ onType, ...rest }: Props): ReactNode => (
  <div className="flex flex-col items-start gap-2">
    <div className="w-full">
      <Field
        name="password"
        type="text"
        autoComplete="off"
        spellCheck={false}
        minLength={12}
        maxLength={256}
        onChange={({ target }) => onType(target.value)}
        {...rest}
      />
    </div>
    <Button onClick={() => onType(madeUp())}>Make one up</Button>
  </div>
);

/** Without letters that look alike. Twenty of 56 are 116 bits. */
const LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const LENGTH = 20;

function madeUp(): string {
  const fair = Math.floor(256 / LETTERS.length) * LETTERS.length;
  let made = "";
  while (made.length < LENGTH)
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH)))
      if (byte < fair && made.length < LENGTH) made += LETTERS[byte % LETTERS.length];
  return (made.match(/.{5}/g) ?? []).join("-");
}
