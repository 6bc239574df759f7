import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { AnswerOf } from "../../api/call.ts";
import type { Change } from "../../api/use-change.ts";
import type { Account, ListedKey } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { RevealedSecret } from "../keys/revealed-secret.tsx";
import { Beside, Problem } from "./setup-step.tsx";
import { useStepForm } from "./use-step-form.ts";

export type MadeKey = AnswerOf<"POST /admin/v1/keys">;

type Props = {
  accounts: readonly Account[];
  keys: readonly ListedKey[];
  /** The first that clients can use, for the examples. */
  model: string | null;
  /** The key that was made on this page, with its secret; null: none. */
  made: MadeKey | null;
  onMade: (made: MadeKey) => void;
  onContinue: () => void;
};

/** The first account with credit, and a key that spends it. Its secret is shown once. */
export function KeyStep(props: Props): ReactNode {
  const { keys, made, model, onContinue } = props;
  const [isAdding, setAdding] = useState(false);
  if (made?.secret)
    return (
      <Beside commands={["tollgate keys list"]}>
        <RevealedSecret
          secret={made.secret}
          of={{ ...made.key, models: model === null ? made.key.models : [model] }}
          onSaved={onContinue}
        />
      </Beside>
    );
  if (keys.length === 0 || isAdding) return <MakeKey {...props} />;
  return (
    <Beside commands={["tollgate keys list", `tollgate keys rotate ${keys[0]?.prefix}`]}>
      <ul className="flex flex-col gap-1">
        {keys.slice(0, 6).map(({ id, label, prefix, account }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3">
            <Link to="/keys/$key" params={{ key: id }} className="font-medium text-accent hover:underline">
              {label ?? `${prefix}…`}
            </Link>
            <span className="text-ink-2">
              {prefix}… {account !== null && `of ${account}`}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-ink-2">
        A secret is shown once, when its key is made. If nobody saved it, open the key and rotate it.
      </p>
      <div className="flex flex-wrap justify-between gap-2 border-t border-line pt-4">
        <Button onClick={() => setAdding(true)}>Make another key</Button>
        <Button look="primary" onClick={onContinue}>
          Continue
        </Button>
      </div>
    </Beside>
  );
}

const FIELDS = ["name", "amount", "label"];
const NEW = "";

function MakeKey({ accounts, onMade }: Props): ReactNode {
  const [account, setAccount] = useState(accounts[0]?.id ?? NEW);
  const [said, setSaid] = useState({ name: "", amount: "10", label: "first key" });
  // The same on every try: what was booked is not booked twice.
  const [reference] = useState(() => `first-run-${crypto.randomUUID().slice(0, 8)}`);
  const { send, isBusy, problemOf, otherwise } = useStepForm(async (change) => {
    const owner = account === NEW ? await makeAccount(change, said.name) : account;
    setAccount(owner);
    if (said.amount !== "" && Number(said.amount) !== 0)
      await change("POST /admin/v1/accounts/{account}/topups", {
        params: { account: owner },
        body: { amount: said.amount, kind: "purchase", reference },
      });
    onMade(
      await change("POST /admin/v1/keys", { body: { mode: "credit", account: owner, label: said.label || null } }),
    );
  }, FIELDS);
  const text = (name: keyof typeof said) => ({
    name,
    value: said[name],
    autoComplete: "off",
    onChange: ({ target }: { target: { value: string } }) => setSaid({ ...said, [name]: target.value }),
    problem: problemOf(name),
  });
  const path = accounts.find(({ id }) => id === account)?.path ?? (said.name || "NAME");
  return (
    <Beside
      commands={[
        ...(account === NEW ? [`tollgate accounts create ${quoted(path)} --kind organisation`] : []),
        `tollgate accounts topup ${quoted(path)} ${said.amount || "AMOUNT"} --ref ${reference}`,
        `tollgate keys create --account ${quoted(path)} --label ${quoted(said.label || "LABEL")}`,
      ]}
    >
      <p className="text-ink-2">
        An account is an organisation, a team or a person. Its credit pays for all keys of it and below it. A credit is
        what your prices are in.
      </p>
      <form onSubmit={send} className="grid gap-4 sm:grid-cols-2">
        {accounts.length > 0 && (
          <SelectField
            label="Account"
            value={account}
            onChange={({ target }) => setAccount(target.value)}
            options={[
              ...accounts.map(({ id, path: at }) => ({ value: id, name: at })),
              { value: NEW, name: "a new one" },
            ]}
          />
        )}
        {account === NEW && (
          <Field {...text("name")} label="Name of the account" required maxLength={100} placeholder="Acme" />
        )}
        <Field
          {...text("amount")}
          label="Credits to begin with"
          inputMode="decimal"
          hint="Booked to the account. Empty: none."
        />
        <Field {...text("label")} label="Label of the key" maxLength={200} hint="Who or what uses it." />
        <div className="flex flex-col gap-3 sm:col-span-2">
          <Problem text={otherwise} />
          <div className="flex justify-end border-t border-line pt-4">
            <Button look="primary" type="submit" busy={isBusy}>
              Make the key
            </Button>
          </div>
        </div>
      </form>
    </Beside>
  );
}

async function makeAccount(change: Change, name: string): Promise<string> {
  const { account } = await change("POST /admin/v1/accounts", {
    body: { name: name.trim(), kind: "organisation", parent: null },
  });
  return account.id;
}

const quoted = (text: string): string =>
  /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
