/** The table of commands as what can be typed where. */
import type { CommandSpec, OptionSpec } from "../../host/cli/command.ts";
import type { Translate } from "../../texts/translate.ts";

/** What follows an option or stands for an argument. */
export type Value = "none" | "any" | "file" | "directory" | readonly string[];

export interface OptionWord {
  /** `-m` and `--message`, as they are typed. */
  readonly names: readonly string[];
  /** As the help shows it: `<text>`; empty for a switch. */
  readonly shown: string;
  readonly about: string;
  readonly value: Value;
}

export interface CommandWord {
  /** `sessions list`; empty for `margay` alone. */
  readonly name: string;
  readonly about: string;
  readonly args: string;
  readonly argument: Value;
  readonly options: readonly OptionWord[];
  readonly examples: readonly string[];
  /** The words that may follow. */
  readonly below: readonly { readonly word: string; readonly about: string }[];
}

export interface Words {
  readonly commands: readonly CommandWord[];
  /** That every command has. */
  readonly common: readonly OptionWord[];
}

export function wordsOf(all: readonly CommandSpec[], t: Translate): Words {
  return { commands: all.map((spec) => commandWord(spec, all, t)), common: commonOptions(t) };
}

function commandWord(spec: CommandSpec, all: readonly CommandSpec[], t: Translate): CommandWord {
  const start = spec.name === "" ? "" : `${spec.name} `;
  const below = all.filter(
    ({ name }) => name !== "" && name.startsWith(start) && !name.slice(start.length).includes(" "),
  );
  const args = spec.args ?? "";
  return {
    name: spec.name,
    about: t(spec.about),
    args,
    argument: spec.name === "completion" ? ["bash", "zsh", "fish", "man"] : valueOf(args.split(" ")[0] ?? ""),
    options: (spec.options ?? []).map((option) => optionWord(option, t)),
    examples: spec.examples ?? [],
    below: below.map(({ name, about }) => ({ word: name.slice(start.length), about: t(about) })),
  };
}

function optionWord({ flags, about, choices }: OptionSpec, t: Translate): OptionWord {
  const parts = flags.split(/[ ,]+/);
  const shown = parts.find((part) => /^[<[]/.test(part)) ?? "";
  return {
    names: parts.filter((part) => part.startsWith("-")),
    shown,
    about: t(about),
    value: choices ?? valueOf(shown),
  };
}

/** `<file>` is a file, whoever needs it. */
function valueOf(shown: string): Value {
  if (shown === "") return "none";
  if (/dir|folder|home/i.test(shown)) return "directory";
  return /file|path|archive/i.test(shown) ? "file" : "any";
}

function commonOptions(t: Translate): readonly OptionWord[] {
  const option = (names: readonly string[], about: string, shown = "", value: Value = "none"): OptionWord => ({
    ...{ names, shown, about, value },
  });
  return [
    option(["--json"], t("cli.json")),
    option(["--lang"], t("cli.lang"), "<tag>", ["en", "zh-CN"]),
    option(["--home"], t("cli.home"), "<dir>", "directory"),
    option(["--workspace"], t("cli.workspace"), "<dir>", "directory"),
    option(["-V", "--version"], t("cli.version")),
    option(["-h", "--help"], t("cli.help")),
  ];
}

/** For a shell: between single quotes nothing acts. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The commands below which others stand, and all that can be typed: ` sessions list`. */
export function paths({ commands }: Words): readonly string[] {
  return commands.filter(({ name }) => name !== "").map(({ name }) => ` ${name}`);
}

export function namesOf(options: readonly OptionWord[], isWanted: (option: OptionWord) => boolean): readonly string[] {
  return options.filter(isWanted).flatMap(({ names }) => names);
}
