import { Argument, type Command, Option } from "commander";
import { type Role, ROLES } from "../../../core/people/role.ts";
import { grantsChanged, newPerson, passwordOrder, personChange, personPage } from "../../../contract/people.ts";
import { person as personSchema } from "../../../wire/admin/people.ts";
import { validate, written } from "../../../wire/validate.ts";
import { accountName, orWord } from "../../arguments.ts";
import { withOperator } from "../../open-operator.ts";
import { addPageOptions, type PageOptions, readPages } from "../../page-options.ts";
import { readPassword } from "../../input/read-password.ts";
import { CommandError } from "../../report-failure.ts";
import { printable } from "../../text/cell.ts";
import { peopleListing, personDetails, rolesText } from "../../text/people/person-text.ts";
import { printResult } from "../../text/print.ts";

export const PERSON_HELP = "their email or id";
const OWN_ACCOUNT = "the account that is theirs: id, or names such as Acme/Search/Ann";
const PLACE = "the account for which and below which the role holds (default: everywhere)";
const NO_PERSON = "No people yet. Add one with `tollgate people add`.";

/** `tollgate people …`. */
export function addPeopleCommands(program: Command): void {
  const people = program
    .command("people")
    .description("people who operate the gateway: add, change and remove them, give and take roles");
  addReadCommands(people);
  addAddCommand(people);
  addUpdateCommand(people);
  addPasswordCommand(people);
  for (const verb of ["grant", "revoke"] as const) addRoleCommand(people, verb);
  addRemoveCommand(people);
}

function addReadCommands(people: Command): void {
  addPageOptions(people.command("list").description("list people with their roles, by email"), 100)
    .option("--json", "print JSON")
    .action(async (options: PageOptions & { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const page = written(personPage, await readPages(options, (request) => operator.people.list(request, by)));
        const text = page.data.length === 0 && options.after === undefined ? () => NO_PERSON : undefined;
        printResult(page, { json: options.json === true, text: text ?? ((screen) => peopleListing(page, screen)) });
      });
    });

  people
    .command("show")
    .argument("<person>", PERSON_HELP)
    .description("show a person: roles, account, and when they were last seen")
    .option("--json", "print JSON")
    .action(async (name: string, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator) => {
        const person = written(personSchema, await operator.people.show(name));
        printResult({ person }, { json: options.json === true, text: (screen) => personDetails(person, screen) });
      });
    });
}

type AddOptions = { name?: string; account?: string; role?: Role; at?: string; password?: true; json?: true };

function addAddCommand(people: Command): void {
  people
    .command("add")
    .argument("<email>", "the address they sign in with")
    .description("add a person, with a role if you name one")
    .option("--name <name>", "their name (default: the email)")
    .option("--account <account>", OWN_ACCOUNT, accountName)
    .addOption(new Option("--role <role>", "their first role; `people grant` gives more").choices(ROLES))
    .option("--at <account>", PLACE, accountName)
    .option("--password", "set a first password: typed here without being shown, or read from standard input")
    .option("--json", "print JSON")
    .action(async (email: string, options: AddOptions, command: Command) => {
      const { role, at, name = null, account = null } = options;
      if (role === undefined && at !== undefined)
        throw new CommandError("--at says where --role holds. Name the role, too.");
      await withOperator(command, async (operator, by) => {
        const password = options.password ? await readPassword() : null;
        const grants = role === undefined ? [] : [{ role, account: at ?? null }];
        const order = validate(newPerson, { email, name, account, grants, password });
        const person = written(personSchema, await operator.people.create(order, by));
        const text = `Added ${printable(person.email)}: ${rolesText(person)}.`;
        printResult({ person }, { json: options.json === true, text: () => text });
      });
    });
}

type UpdateOptions = { name?: string; email?: string; account?: string; json?: true };

function addUpdateCommand(people: Command): void {
  people
    .command("update")
    .argument("<person>", PERSON_HELP)
    .description("change the name, the email or the account of a person")
    .option("--name <name>", "their new name")
    .option("--email <email>", "the address they sign in with from now on")
    .option("--account <account>", `${OWN_ACCOUNT}; none: no account`, orWord("none", accountName))
    .option("--json", "print JSON")
    .action(async (person: string, { json, account, ...options }: UpdateOptions, command: Command) => {
      const changed = account === undefined ? {} : { account: account === "none" ? null : account };
      if (Object.keys({ ...options, ...changed }).length === 0)
        throw new CommandError("give --name, --email or --account.");
      await withOperator(command, async (operator, by) => {
        const changes = validate(personChange, { ...options, ...changed });
        const updated = written(personSchema, await operator.people.update(person, changes, by));
        printResult({ person: updated }, { json: json === true, text: (screen) => personDetails(updated, screen) });
      });
    });
}

function addPasswordCommand(people: Command): void {
  people
    .command("password")
    .argument("<person>", PERSON_HELP)
    .description(
      "set the password of a person, typed here without being shown or read from standard input; ends their sessions",
    )
    .option("--json", "print JSON")
    .action(async (name: string, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const order = validate(passwordOrder, { password: await readPassword() });
        const person = written(personSchema, await operator.people.setPassword(name, order, by));
        const text = `${printable(person.email)} has a new password. Their sessions have ended.`;
        printResult({ person }, { json: options.json === true, text: () => text });
      });
    });
}

const ROLE_COMMANDS = {
  grant: "give a person a role, everywhere or for one account and all below it",
  revoke: "take a role from a person; it ends with their next request",
} as const;

function addRoleCommand(people: Command, verb: keyof typeof ROLE_COMMANDS): void {
  people
    .command(verb)
    .argument("<person>", PERSON_HELP)
    .addArgument(new Argument("<role>", ROLES.join(", ")).choices(ROLES))
    .description(ROLE_COMMANDS[verb])
    .option("--at <account>", PLACE, accountName)
    .option("--json", "print JSON")
    .action(async (name: string, role: Role, options: { at?: string; json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const grants = [{ role, account: options.at ?? null }];
        const change = verb === "grant" ? { add: grants, remove: [] } : { add: [], remove: grants };
        const { person, changed } = written(grantsChanged, await operator.people.changeGrants(name, change, by));
        const text = `${changed ? "" : "Nothing changed. "}${printable(person.email)}: ${rolesText(person)}.`;
        printResult({ person, changed }, { json: options.json === true, text: () => text });
      });
    });
}

function addRemoveCommand(people: Command): void {
  people
    .command("remove")
    .argument("<person>", PERSON_HELP)
    .description(
      "remove a person: their sessions and tokens end at once, and an account of the kind person is suspended",
    )
    .option("--json", "print JSON")
    .action(async (name: string, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const person = written(personSchema, await operator.people.remove(name, by));
        const text = `Removed ${printable(person.email)}. Their sessions and tokens have ended.`;
        printResult({ person }, { json: options.json === true, text: () => text });
      });
    });
}
