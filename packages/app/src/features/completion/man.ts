/** The man page in the macros of man(7), in UTF-8: every command with its options and examples. */
import { EXIT } from "../../host/cli/command.ts";
import type { Translate } from "../../texts/translate.ts";
import type { CommandWord, OptionWord, Words } from "./words.ts";

/** @param date Of the page. */
export function manPage({ commands, common }: Words, t: Translate, date: Date): string {
  const [first] = commands;
  const day = date.toISOString().slice(0, 10);
  return `${[
    `'\\" -*- coding: utf-8 -*-`,
    `.TH MARGAY 1 ${day} margay`,
    ".nh", // a command that is broken into two lines cannot be copied
    ".na", // a line of Chinese has no blanks that could be widened
    section(t("man.name")),
    `margay \\- ${plain(t("cli.about"))}`,
    section(t("man.synopsis")),
    ...(first === undefined ? [] : [synopsis(first)]),
    ".br",
    ".B margay",
    `\\fI${plain(t("man.command"))}\\fR [\\fI${plain(t("man.option"))}\\fR ...]`,
    section(t("man.commands")),
    ...commands.flatMap(commandPart),
    section(t("man.options")),
    ...common.flatMap(optionPart),
    section(t("man.status")),
    ...STATUS.flatMap((name) => [".TP", `.B ${EXIT[name]}`, plain(t(`man.exit.${name}`))]),
    section(t("man.environment")),
    ...(["MARGAY_HOME", "NO_COLOR", "TERM", "VISUAL", "EDITOR"] as const).flatMap((name) => [
      ".TP",
      `.B ${name}`,
      plain(t(`man.env.${name}`)),
    ]),
    section(t("man.files")),
    ...(["config.json", "keybindings.json", "history.jsonl", "margay.log"] as const).flatMap((name) => [
      ".TP",
      `.I ~/.margay/${plain(name)}`,
      plain(t(`man.file.${name}`)),
    ]),
  ].join("\n")}\n`;
}

const STATUS = ["done", "failed", "usage", "busy", "config", "interrupted"] as const;

function section(title: string): string {
  return `.SH ${plain(title.toUpperCase())}`;
}

function commandPart(command: CommandWord): readonly string[] {
  return [
    ".TP",
    synopsis(command),
    plain(command.about),
    ...(command.options.length > 0 ? [".RS", ...command.options.flatMap(optionPart), ".RE"] : []),
    ...(command.examples.length > 0
      ? [".IP", ".EX", ...command.examples.map(plain), ".EE"] // as they are, in a fixed width
      : []),
  ];
}

function synopsis({ name, args }: CommandWord): string {
  const called = name === "" ? "margay" : `margay ${name}`;
  return args === "" ? `.B ${plain(called)}` : `\\fB${plain(called)}\\fR \\fI${plain(args)}\\fR`;
}

function optionPart({ names, shown, about }: OptionWord): readonly string[] {
  const flags = names.map((name) => `\\fB${plain(name)}\\fR`).join(", ");
  return [".TP", shown === "" ? flags : `${flags} \\fI${plain(shown)}\\fR`, plain(about)];
}

/** Nothing of it is read as a request or an escape; a hyphen is the one that is typed. */
function plain(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("~", "\\(ti")
    .replaceAll("^", "\\(ha")
    .replaceAll("`", "\\(ga")
    .replaceAll(/^(?=[.'])/gm, "\\&")
    .replaceAll(/(?<=\p{Script=Han}|[，。；、：）])(?=\p{Script=Han})/gu, "\\:"); // where a line of Chinese may end
}
