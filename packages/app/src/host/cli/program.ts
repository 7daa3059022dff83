/** The table of commands → commander. Its messages are ours: localized, with the nearest known name. */
import { Command, CommanderError, Option } from "commander";
import { RuntimeError } from "@margay/core";
import { nearest } from "@margay/core/internal";

import { asTyped } from "../../texts/command.ts";
import type { Translate } from "../../texts/translate.ts";
import type { CommandSpec, Input } from "./command.ts";
import type { Terminal } from "./output.ts";

export interface Chosen {
  readonly spec: CommandSpec;
  readonly input: Input;
  readonly json: boolean;
  /** `--version` among other words; alone, the launcher answers it. */
  readonly version: boolean;
}

/**
 * @returns the command that was typed, or undefined when help was shown.
 * @throws RuntimeError `usage.wrong`.
 */
export async function parseArguments(
  argv: readonly string[],
  commands: readonly CommandSpec[],
  terminal: Terminal,
  t: Translate,
  name = "margay",
): Promise<Chosen | undefined> {
  // Describing all commands costs a start milliseconds. Whoever typed a right one needs no other; help and errors do.
  const typed = commands.filter(({ name }) => name === "" || name.split(" ").every((word) => argv.includes(word)));
  const chosen = await parseWith(argv, typed, quiet(terminal), t).catch(() => undefined);
  const shown: Output = {
    out: (text) => terminal.out(asTyped(text, name)),
    get columns() {
      return terminal.columns;
    },
  };
  return chosen ?? parseWith(argv, commands, shown, t);
}

type Output = Pick<Terminal, "out" | "columns">;

function quiet(terminal: Terminal): Output {
  return {
    out: () => {},
    get columns() {
      return terminal.columns;
    },
  };
}

async function parseWith(
  argv: readonly string[],
  commands: readonly CommandSpec[],
  terminal: Output,
  t: Translate,
): Promise<Chosen | undefined> {
  let chosen: Chosen | undefined;
  const root = new Command("margay");
  const byName = new Map<string, Command>([["", root]]);
  setUp(root, terminal, t);
  root
    .description(t("cli.about"))
    .option("--json", t("cli.json"))
    .option("--lang <tag>", t("cli.lang"))
    .option("--home <dir>", t("cli.home"))
    .option("--workspace <dir>", t("cli.workspace"))
    .option("-V, --version", t("cli.version"));
  const isAlone = !commands.some(({ name }) => name !== "" && argv.includes(name.split(" ")[0] ?? ""));
  for (const spec of commands) {
    const command = spec.name === "" ? root : child(byName, spec.name);
    setUp(command, terminal, t);
    // What \`margay\` alone takes no command below it takes.
    if (spec.name !== "" || isAlone) describe(command, spec, t);
    if (spec.name === "")
      command.action(() => {
        chosen = choose(command, spec, []);
      });
    else if (spec.load === undefined) command.allowExcessArguments(true).action(() => refuseGroup(command, t));
    else
      command.action(() => {
        chosen = choose(command, spec, command.args);
      });
  }
  try {
    await root.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined; // help was shown
    throw wrongUsage(error, root, argv, t);
  }
  return chosen;
}

function child(byName: Map<string, Command>, name: string): Command {
  const words = name.split(" ");
  const parent = byName.get(words.slice(0, -1).join(" "));
  if (parent === undefined) throw new TypeError(`the group of ${name} must come before it`);
  const command = parent.command(words.at(-1) ?? name);
  byName.set(name, command);
  return command;
}

function setUp(command: Command, terminal: Output, t: Translate): void {
  command
    .exitOverride()
    .allowExcessArguments(false)
    .helpCommand(false)
    .helpOption("-h, --help", t("cli.help"))
    .showSuggestionAfterError(false)
    .configureOutput({ writeOut: terminal.out, writeErr: () => {}, getOutHelpWidth: () => terminal.columns })
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (title) => (TITLES[title] === undefined ? title : t(TITLES[title])),
    });
}

const TITLES: Readonly<
  Record<string, "cli.usage" | "cli.arguments" | "cli.options" | "cli.globalOptions" | "cli.commands">
> = {
  "Usage:": "cli.usage",
  "Arguments:": "cli.arguments",
  "Options:": "cli.options",
  "Global Options:": "cli.globalOptions",
  "Commands:": "cli.commands",
};

function describe(command: Command, spec: CommandSpec, t: Translate): void {
  if (spec.name !== "") command.description(t(spec.about));
  for (const argument of spec.args?.split(" ") ?? []) command.argument(argument);
  for (const { flags, about, repeat, choices } of spec.options ?? []) {
    const option = new Option(flags, t(about));
    if (choices !== undefined) option.choices([...choices]);
    if (repeat === true)
      option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
    command.addOption(option);
  }
  if (spec.examples !== undefined)
    command.addHelpText("after", `\n${t("cli.examples")}\n${spec.examples.map((line) => `  ${line}`).join("\n")}`);
}

function choose(command: Command, spec: CommandSpec, args: readonly string[]): Chosen {
  const {
    json,
    lang: _lang,
    home: _home,
    version,
    ...options
  } = command.optsWithGlobals<Record<string, string | boolean | readonly string[]>>();
  return { spec, input: { args: [...args], options }, json: json === true, version: version === true };
}

/** `margay sessions` and `margay sessions lst`. */
function refuseGroup(command: Command, t: Translate): void {
  const [typed] = command.args;
  if (typed === undefined) {
    command.outputHelp();
    throw new CommanderError(0, "commander.help", "");
  }
  throw unknownCommand(typed, command, t);
}

function unknownCommand(typed: string, command: Command, t: Translate): RuntimeError {
  const near = nearest(
    typed,
    command.commands.map((one) => one.name()),
  );
  return new RuntimeError(
    "usage.wrong",
    t("usage.unknownCommand", { name: typed, hint: hintText(near, t), command: fullName(command) }),
  );
}

function wrongUsage(error: CommanderError, root: Command, argv: readonly string[], t: Translate): RuntimeError {
  const command = deepest(root, argv);
  const name = /'([^']*)'/.exec(error.message)?.[1] ?? "";
  const at = { name, command: fullName(command) };
  switch (error.code) {
    case "commander.unknownOption": {
      const word = argv.find((one) => !one.startsWith("-"));
      // `agnet -m x`: the option is that of a command, and its name is what is wrong.
      if (command === root && word !== undefined && argv[0] === word) return unknownCommand(word, root, t);
      const owner = command === root ? root.commands.find((one) => takes(one, name)) : undefined;
      if (owner !== undefined)
        return usage(t("usage.unknownOption", { ...at, hint: hintText(`${owner.name()} ${name}`, t) }));
      const known = [command, root]
        .flatMap((one) => one.options.flatMap((option) => [option.long, option.short]))
        .filter((flag) => flag !== undefined && flag !== null);
      // Each letter is near to each other one.
      const near = name.startsWith("--") ? nearest(name, known) : undefined;
      return usage(t("usage.unknownOption", { ...at, hint: hintText(near, t) }));
    }
    case "commander.missingArgument":
      return usage(t("usage.missingArgument", at));
    case "commander.optionMissingArgument":
      return usage(t("usage.missingValue", at));
    case "commander.invalidArgument": {
      const [, option = "", value = ""] = /option '([^']*)' argument '([^']*)'/.exec(error.message) ?? [];
      const expected = /Allowed choices are ([^.]*)\./.exec(error.message)?.[1] ?? "";
      return usage(t("usage.invalid", { ...at, name: option, value, expected }));
    }
    case "commander.excessArguments": {
      const typed = command.args[0];
      return command.commands.length > 0 && typed !== undefined
        ? unknownCommand(typed, command, t)
        : usage(t("usage.tooMany", at));
    }
    default:
      return usage(error.message);
  }
}

function takes(command: Command, flag: string): boolean {
  return command.options.some(({ long, short }) => long === flag || short === flag);
}

/** The command the words lead to, as far as they are names. */
function deepest(root: Command, argv: readonly string[]): Command {
  let command = root;
  for (const word of argv) command = command.commands.find((one) => one.name() === word) ?? command;
  return command;
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

function hintText(near: string | undefined, t: Translate): string {
  return near === undefined ? "" : t("error.didYouMean", { name: near });
}

function usage(message: string): RuntimeError {
  return new RuntimeError("usage.wrong", message);
}
