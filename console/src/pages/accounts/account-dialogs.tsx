import type { ReactNode } from "react";
import type { Account } from "../../api/generated/admin.ts";
import { Field, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { entitledTo, RegionsField, TiersField } from "../keys/entitlements.tsx";
import { AccountField } from "./account-field.tsx";
import { listOf } from "./limit-dialog.tsx";

const KINDS = ["organisation", "team", "person", "project", "customer"].map((value) => ({ value, name: value }));

export const NewAccountDialog = ({ parent, onClose }: { parent: Account | null; onClose: () => void }): ReactNode => (
  <FormDialog
    title={parent === null ? "New account" : `New account below ${parent.path}`}
    verb="Make the account"
    done="The account is made"
    fields={["name", "kind"]}
    onClose={onClose}
    act={(change, given) =>
      change("POST /admin/v1/accounts", {
        body: { name: given("name"), kind: given("kind"), parent: parent?.id ?? null },
      })
    }
  >
    {(problemOf) => (
      <>
        <Field label="Name" name="name" required autoFocus maxLength={100} problem={problemOf("name")} />
        <SelectField
          label="Kind"
          name="kind"
          options={KINDS}
          defaultValue={parent === null ? "organisation" : "team"}
          problem={problemOf("kind")}
        />
      </>
    )}
  </FormDialog>
);

/** Another name, another place in the tree. */
export function MoveAccountDialog({ of: account, onClose }: { of: Account; onClose: () => void }): ReactNode {
  return (
    <FormDialog
      title={`Rename or move ${account.path}`}
      lead="What was charged stays with the accounts it was charged to."
      verb="Save"
      done="The account is changed"
      fields={["name", "parent"]}
      onClose={onClose}
      act={(change, given) => {
        const [name, parent] = [given("name"), given("parent")];
        return change("PATCH /admin/v1/accounts/{account}", {
          params: { account: account.id },
          body: {
            ...(name !== account.name && { name }),
            ...(parent !== "" && parent !== account.parent_id && { parent }),
          },
        });
      }}
    >
      {(problemOf) => (
        <>
          <Field label="Name" name="name" required autoFocus defaultValue={account.name} problem={problemOf("name")} />
          {account.parent_id !== null && (
            <AccountField
              label="Below"
              name="parent"
              none={null}
              usual={{ id: account.parent_id, path: account.path.slice(0, -account.name.length - 1) }}
              isOut={({ id, path }) => id === account.id || path.startsWith(`${account.path}/`)}
              problem={problemOf("parent")}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

/** Which service tiers the keys here and below may ask for. */
export const TiersDialog = ({ of: account, onClose }: { of: Account; onClose: () => void }): ReactNode => (
  <FormDialog
    title={`Service tiers of ${account.path}`}
    lead="They hold for all keys below it, from the next request on. Lists of accounts above and of keys hold, too."
    verb="Save"
    done="The tiers are set"
    fields={["tiers"]}
    onClose={onClose}
    act={(change, given) =>
      change("POST /admin/v1/accounts/{account}/tiers", {
        params: { account: account.id },
        body: { tiers: entitledTo(given("tiers")) },
      })
    }
  >
    {(problemOf) => <TiersField usual={account.tiers} autoFocus problem={problemOf("tiers")} />}
  </FormDialog>
);

/** Where requests of the keys here and below may run. */
export const RegionsDialog = ({ of: account, onClose }: { of: Account; onClose: () => void }): ReactNode => (
  <FormDialog
    title={`Regions of ${account.path}`}
    lead="Requests of all keys below it run on routes of these regions, from the next one on. Lists of accounts above and of keys hold, too. A route without a region is left out."
    verb="Save"
    done="The regions are set"
    fields={["regions"]}
    onClose={onClose}
    act={(change, given) =>
      change("POST /admin/v1/accounts/{account}/regions", {
        params: { account: account.id },
        body: { regions: listOf(given("regions")) },
      })
    }
  >
    {(problemOf) => <RegionsField usual={account.regions} autoFocus problem={problemOf("regions")} />}
  </FormDialog>
);

/** When somebody is told that little is left. Empty: nobody is told. */
export const ThresholdsDialog = ({
  of: account,
  percent,
  left,
  onClose,
}: {
  of: Account;
  percent: readonly string[];
  left: readonly string[];
  onClose: () => void;
}): ReactNode => (
  <FormDialog
    title={`When is somebody told about ${account.path}?`}
    lead="A notice goes to the log and to every webhook, once per period."
    verb="Save"
    done="The thresholds are set"
    fields={["percent", "left"]}
    onClose={onClose}
    act={(change, given) =>
      change("POST /admin/v1/notices/thresholds", {
        body: {
          name: account.id,
          percent: wordsOf(given("percent")).map(Number),
          left: wordsOf(given("left")),
        },
      })
    }
  >
    {(problemOf) => (
      <>
        <Field
          label="Percent used of each limit"
          name="percent"
          autoFocus
          defaultValue={percent.join(", ")}
          problem={problemOf("percent")}
          hint="With commas: 50, 80, 100."
        />
        <Field
          label="Credits left of its purse"
          name="left"
          defaultValue={left.join(", ")}
          problem={problemOf("left")}
          hint="With commas: 100, 10, 0."
        />
      </>
    )}
  </FormDialog>
);

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);
